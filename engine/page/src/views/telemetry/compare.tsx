import type { AskDocument } from "../../api/types";
import { locale, t } from "../../i18n";
import { duration, moment } from "../../model/format";
import { compareSpans } from "../../model/waterfall";
import { Link, ProblemNote, Skeleton, StoreChip } from "../../ui/basic";
import { Icon } from "../../ui/icons";
import { useLoad } from "../../ui/load";
import { Waterfall } from "../../ui/waterfall";

/** Two traces on one axis, and where their times part. */
export function Compare({ a, b }: { a: string; b: string }) {
  const s = t.value.trace;
  const left = useLoad<AskDocument>(`/api/traces/${encodeURIComponent(a)}`);
  const right = useLoad<AskDocument>(`/api/traces/${encodeURIComponent(b)}`);
  const problem = left.problem ?? right.problem;
  const total = Math.max(left.data?.timings.total_ms ?? 1, right.data?.timings.total_ms ?? 1);
  return (
    <div class="column wide">
      <Link to="telemetry" class="back"><Icon name="left" />{t.value.telemetry.title}</Link>
      <header class="page-head"><h1>{s.compareTitle}</h1></header>
      {problem && <ProblemNote problem={problem} />}
      {left.data && right.data ? (
        <>
          <div class="trace-columns even">
            <Side letter="A" trace={left.data} total={total} />
            <Side letter="B" trace={right.data} total={total} />
          </div>
          <Differences a={left.data} b={right.data} />
        </>
      ) : (
        !problem && <Skeleton lines={10} />
      )}
    </div>
  );
}

function Side({ letter, trace, total }: { letter: string; trace: AskDocument; total: number }) {
  return (
    <section>
      <h2 class="compare-title">
        <span class="letter">{letter}</span>
        <Link to="telemetry" id={trace.trace_id}>{trace.question}</Link>
      </h2>
      <p class="trace-facts">
        {trace.routes.map((store) => <StoreChip key={store} store={store} />)}
        <span>{duration(trace.timings.total_ms, locale.value)}</span>
        {trace.created_at !== undefined && <span class="quiet-text">{moment(trace.created_at, locale.value)}</span>}
      </p>
      <Waterfall spans={trace.spans} now={0} total={total} />
    </section>
  );
}

/** Milliseconds below which two times count as the same. */
const LEAST = 0.005;

function signed(ms: number, language: string): string {
  if (Math.abs(ms) < LEAST) return "0";
  return `${ms < 0 ? "−" : "+"}${duration(Math.abs(ms), language)}`;
}

function Differences({ a, b }: { a: AskDocument; b: AskDocument }) {
  const s = t.value.trace;
  const l = locale.value;
  const rows = compareSpans(a.spans, b.spans);
  const change = (row: { a: number | null; b: number | null }) => (row.b ?? 0) - (row.a ?? 0);
  const most = Math.max(...rows.map((row) => Math.abs(change(row))), 1e-9);
  return (
    <section>
      <h2>{s.differences}</h2>
      <div class="table-box" tabIndex={0} role="region" aria-label={s.differences}>
        <table class="differences">
          <thead>
            <tr><th scope="col">{t.value.telemetry.step}</th><th scope="col" class="numeric">A</th><th scope="col" class="numeric">B</th><th scope="col" class="numeric">B − A</th><th scope="col"><span class="unseen">{t.value.telemetry.plot}</span></th></tr>
          </thead>
          <tbody>
            {rows.map((row) => {
              const by = change(row);
              return (
                <tr key={row.name}>
                  <th scope="row"><code>{row.name}</code></th>
                  <td class="numeric">{row.a === null ? "—" : duration(row.a, l)}</td>
                  <td class="numeric">{row.b === null ? "—" : duration(row.b, l)}</td>
                  <td class="numeric">{signed(by, l)}</td>
                  <td aria-hidden="true"><span class="diverging">{Math.abs(by) >= LEAST && <i data-sign={by < 0 ? "less" : "more"} style={{ width: `${(Math.abs(by) / most) * 50}%` }} />}</span></td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </section>
  );
}
