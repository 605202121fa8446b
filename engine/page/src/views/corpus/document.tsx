import { useSignal, useSignalEffect } from "@preact/signals";
import { call, problemOf } from "../../api/http";
import type { StoredDocument, TableInfo } from "../../api/corpus";
import type { Problem } from "../../api/types";
import { locale, t } from "../../i18n";
import { bytes, moment } from "../../model/format";
import { go } from "../../route";
import { Button, Link, ProblemNote, Skeleton } from "../../ui/basic";
import { Confirm } from "../../ui/dialog";
import { Icon } from "../../ui/icons";
import { useLoad } from "../../ui/load";
import { Chunks } from "./chunks";
import { JobCards } from "./job-cards";
import { corpusVersion, follow } from "./jobs";
import { Placements } from "./placements";

/** One document: what was read, where every chunk went, what was decided about its columns. */
export function DocumentDetail({ id }: { id: string }) {
  const s = t.value.document;
  const found = useLoad<StoredDocument>(`/api/documents/${encodeURIComponent(id)}`);
  const problem = useSignal<Problem | null>(null);
  const leaving = useSignal(false);
  // The news of its own departure may come before the answer to the deletion.
  const removing = useSignal(false);
  useSignalEffect(() => {
    if (corpusVersion.value > 0 && !removing.peek()) found.reload();
  });
  const document = found.data;
  const attempt = (work: Promise<unknown>, then?: () => void) =>
    work.then(then).catch((error: unknown) => (problem.value = problemOf(error)));
  const reingest = () =>
    attempt(call<{ job: number }>("POST", `/api/documents/${document!.id}/reingest`).then(({ job }) => follow(job)));
  const remove = () => {
    removing.value = true;
    const gone = () => {
      corpusVersion.value += 1;
      go("corpus");
    };
    void attempt(call("DELETE", `/api/documents/${document!.id}`), gone).finally(() => (removing.value = false));
  };
  return (
    <div class="column">
      <Link to="corpus" class="back"><Icon name="left" />{t.value.corpus.title}</Link>
      {found.problem && <ProblemNote problem={found.problem} retry={found.reload} />}
      {problem.value && <ProblemNote problem={problem.value} />}
      {!document && !found.problem && <Skeleton lines={10} />}
      {document && (
        <>
          <header class="page-head">
            <h1>{document.name}</h1>
            <div class="actions">
              <Button icon="again" onClick={reingest}>{s.reingest}</Button>
              <Button icon="trash" kind="danger" onClick={() => (leaving.value = true)}>{t.value.common.remove}</Button>
            </div>
          </header>
          <JobCards />
          <Facts document={document} />
          {document.tables.map((table) => <Columns key={table.name} info={{ ...table.info, name: table.name }} />)}
          <Chunks id={document.id} />
        </>
      )}
      {leaving.value && document && (
        <Confirm
          title={s.removeTitle}
          text={document.uploaded ? s.removeUploaded(document.name) : s.removeOwn(document.name)}
          action={t.value.common.remove}
          confirm={remove}
          close={() => (leaving.value = false)}
        />
      )}
    </div>
  );
}

function Facts({ document }: { document: StoredDocument }) {
  const s = t.value.document;
  const details = Object.entries(document.details ?? {}).filter(([, value]) => value !== null && value !== "");
  return (
    <section class="facts">
      <dl class="pairs">
        <dt>{s.path}</dt><dd class="path">{document.path}</dd>
        {document.also_at.length > 0 && <><dt>{s.alsoAt}</dt><dd class="path">{document.also_at.join("\n")}</dd></>}
        <dt>{s.kind}</dt><dd>{[document.kind, bytes(document.bytes, locale.value), document.language].filter(Boolean).join(" · ")}</dd>
        <dt>{s.added}</dt><dd>{moment(document.added_at, locale.value)}</dd>
        <dt>{s.placements}</dt><dd><Placements placements={document.placements} /></dd>
        {details.map(([name, value]) => (
          <>
            <dt key={name}>{label(name)}</dt>
            <dd class="detail">{shown(value)}</dd>
          </>
        ))}
      </dl>
    </section>
  );
}

function label(name: string): string {
  const names: Record<string, string> = t.value.document.details;
  return names[name] ?? name;
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return value.map(shown).join(" · ");
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).map(([name, inner]) => `${name}: ${shown(inner)}`).join(" · ");
  }
  return String(value);
}

/** A table's columns: type, unit and why. */
function Columns({ info }: { info: TableInfo }) {
  const s = t.value.document;
  return (
    <section>
      <h2>{s.table} <code>{info.name}</code></h2>
      <p class="quiet-text">{[s.rows(info.rows), info.location, ...info.dialect].join(" · ")}</p>
      {info.rollup_rows.length > 0 && <p class="note"><Icon name="warning" />{s.rollups(info.rollup_rows.length)}</p>}
      {info.warnings.map((warning) => (
        <p key={warning.message} class="note"><Icon name="warning" />{warning.line !== null && `${s.line(warning.line)}: `}{warning.message}</p>
      ))}
      <div class="table-box" tabIndex={0} role="region" aria-label={s.columnsOf(info.name)}>
        <table class="columns">
          <thead>
            <tr><th scope="col">{s.column}</th><th scope="col">{s.type}</th><th scope="col">{s.why}</th></tr>
          </thead>
          <tbody>
            {info.columns.map((column) => (
              <tr key={column.name}>
                <th scope="row"><code>{column.name}</code>{column.header !== column.name && column.header !== "" && <span class="quiet-text"> {column.header}</span>}</th>
                <td>{column.kind}{column.unit && <span class="quiet-text"> {column.unit}</span>}</td>
                <td class="why">{column.decision}{column.nulls > 0 && ` · ${s.nulls(column.nulls)}`}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
