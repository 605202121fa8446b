import { useSignal } from "@preact/signals";
import type { Part } from "../../api/types";
import { locale, t } from "../../i18n";
import { cell, decimals } from "../../model/format";
import { sqlTokens } from "../../model/sqltext";
import { chartOf, type Order, sortRows } from "../../model/table";
import { CopyButton, Skeleton } from "../../ui/basic";
import { ChartView } from "../../ui/charts";
import { Icon } from "../../ui/icons";

/** The query, the values it was linked to, and its rows. */
export function Query({ part, index, running, level = 4 }: { part: Part; index: number; running: boolean; level?: 3 | 4 }) {
  const s = t.value.found;
  const Heading = `h${level}` as const;
  const links = part.sql_details?.links ?? [];
  const tries = (part.sql_details?.attempts ?? []).filter((attempt) => attempt.problem !== null);
  const waiting = running && part.columns.length === 0 && part.fallback === null;
  const chart = chartOf(part.columns, part.rows);
  return (
    <div class="query" data-query={index} tabIndex={-1}>
      <div class="query-head">
        <Heading>{s.query}</Heading>
        <CopyButton label={s.copyQuery} text={() => part.sql ?? ""} />
      </div>
      <Sql text={part.sql ?? ""} />
      {links.length > 0 && (
        <ul class="links" aria-label={s.links}>
          {links.map((link) => <li key={`${link.phrase}${link.column}`}>“{link.phrase}” → <code>{link.column} = {link.value}</code></li>)}
        </ul>
      )}
      {tries.map((attempt) => (
        <details key={attempt.sql} class="numbers">
          <summary>{s.rejected} {attempt.problem}</summary>
          <Sql text={attempt.sql} />
        </details>
      ))}
      {waiting && <Skeleton lines={2} />}
      {chart && <ChartView chart={chart} />}
      {part.columns.length > 0 && chart?.kind !== "value" && <Rows part={part} />}
    </div>
  );
}

function Sql({ text }: { text: string }) {
  return (
    <pre class="sql" tabIndex={0}>
      <code>
        {sqlTokens(text).map((token, at) => (token.kind === "plain" ? token.text : <span key={at} class={token.kind}>{token.text}</span>))}
      </code>
    </pre>
  );
}

const MOST_ROWS = 50;

/** The rows, sortable by every column. */
export function Rows({ part }: { part: Pick<Part, "columns" | "rows" | "row_count"> }) {
  const s = t.value.found;
  const order = useSignal<Order | null>(null);
  const numeric = part.columns.map((_, at) => part.rows.every((row) => row[at] === null || typeof row[at] === "number"));
  const places = part.columns.map((_, at) => decimals(part.rows.map((row) => row[at] ?? null)));
  const rows = sortRows(part.rows, order.value, locale.value).slice(0, MOST_ROWS);
  const sort = (column: number) => {
    const now = order.value;
    if (now?.column !== column) order.value = { column, descending: numeric[column] ?? false };
    else if (now.descending === (numeric[column] ?? false)) order.value = { column, descending: !now.descending };
    else order.value = null;
  };
  const state = (column: number) =>
    order.value?.column !== column ? "none" : order.value.descending ? "descending" : "ascending";
  return (
    <>
      <div class="table-box" tabIndex={0} role="region" aria-label={s.rows}>
        <table>
          <thead>
            <tr>
              {part.columns.map((column, at) => (
                <th key={at} scope="col" class={numeric[at] ? "numeric" : ""} aria-sort={state(at)}>
                  <button type="button" onClick={() => sort(at)}>
                    {column}
                    {state(at) !== "none" && <Icon name={state(at) === "ascending" ? "up" : "down"} />}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, line) => (
              <tr key={line}>
                {row.map((value, at) => <td key={at} class={numeric[at] ? "numeric" : ""}>{cell(value, locale.value, places[at])}</td>)}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {part.row_count > rows.length && <p class="quiet-text">{s.firstRows(rows.length, part.row_count)}</p>}
    </>
  );
}
