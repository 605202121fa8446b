import type { Failure, StoredDocument } from "../../api/corpus";
import { locale, t } from "../../i18n";
import { bytes, folder, moment, shortPath } from "../../model/format";
import { Link } from "../../ui/basic";
import { Icon } from "../../ui/icons";
import { Placements } from "./placements";

export function DocumentTable({ documents }: { documents: StoredDocument[] }) {
  const s = t.value.corpus;
  return (
    <table class="documents">
      <thead>
        <tr>
          <th scope="col">{s.columns.name}</th>
          <th scope="col">{s.columns.placements}</th>
          <th scope="col" class="numeric">{s.columns.chunks}</th>
          <th scope="col" class="numeric">{s.columns.size}</th>
          <th scope="col">{s.columns.added}</th>
        </tr>
      </thead>
      <tbody>
        {documents.map((document) => (
          <tr key={document.id}>
            <th scope="row">
              <Link to="corpus" id={document.id}>{document.name}</Link>
              <span class="quiet-text path" title={document.path}>{folder(document.path)}</span>
              <Remarks document={document} />
            </th>
            <td><Placements placements={document.placements} /></td>
            <td class="numeric">{document.chunks}</td>
            <td class="numeric">{bytes(document.bytes, locale.value)}</td>
            <td class="when">{moment(document.added_at, locale.value)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What a person should know of a document at a glance. */
function Remarks({ document }: { document: StoredDocument }) {
  const s = t.value.corpus;
  const reason = document.details?.["reason"];
  const warnings = document.tables.reduce((sum, table) => sum + table.info.warnings.length, 0);
  return (
    <>
      {typeof reason === "string" && <span class="remark"><Icon name="warning" />{reason}</span>}
      {warnings > 0 && <span class="remark"><Icon name="warning" />{s.warnings(warnings)}</span>}
    </>
  );
}

/** Files that could not be taken in, each with its reason and the way out. */
export function Failures({ failed }: { failed: Failure[] }) {
  const s = t.value.corpus;
  if (failed.length === 0) return null;
  return (
    <section class="failures" aria-label={s.failures(failed.length)}>
      <h2><Icon name="warning" />{s.failures(failed.length)}</h2>
      <ul>
        {failed.map((failure) => (
          <li key={failure.path}>
            <b title={failure.path}>{shortPath(failure.path)}</b>
            <p>{failure.reason}</p>
            {failure.hint && <p class="hint">{failure.hint}</p>}
            <p class="quiet-text">{s.attempts(failure.attempts)} · {moment(failure.last_at, locale.value)}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
