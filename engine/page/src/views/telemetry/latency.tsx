import type { LatencyRow } from "../../api/machine";
import { locale, t } from "../../i18n";
import { duration, tick } from "../../model/format";

/** Half and nearly all of every step's times, on one logarithmic axis: microseconds beside seconds. */
export function Latency({ rows }: { rows: LatencyRow[] }) {
  const s = t.value.telemetry;
  const l = locale.value;
  const high = Math.max(...rows.map((row) => row.max_ms), 1);
  const at = (ms: number) => `${share(ms, high) * 100}%`;
  return (
    <section>
      <h2>{s.latency}</h2>
      <div class="table-box" tabIndex={0} role="region" aria-label={s.latency}>
        <table class="latency">
          <thead>
            <tr>
              <th scope="col">{s.step}</th>
              <th scope="col" class="latency-plot"><span class="unseen">{s.plot}</span><Decades high={high} /></th>
              <th scope="col" class="numeric"><span class="dot half" aria-hidden="true" /> p50</th>
              <th scope="col" class="numeric"><span class="dot" aria-hidden="true" /> p95</th>
              <th scope="col" class="numeric">n</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.name}>
                <th scope="row"><code>{row.name}</code></th>
                <td class="latency-plot" aria-hidden="true">
                  <span class="dumbbell">
                    <i class="reach" style={{ left: at(row.p50_ms), width: `calc(${at(row.p95_ms)} - ${at(row.p50_ms)})` }} />
                    <i class="half" style={{ left: at(row.p50_ms) }} />
                    <i class="most" style={{ left: at(row.p95_ms) }} />
                  </span>
                </td>
                <td class="numeric">{duration(row.p50_ms, l)}</td>
                <td class="numeric">{duration(row.p95_ms, l)}</td>
                <td class="numeric">{row.count}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

const LEAST = 0.01;

function share(ms: number, high: number): number {
  return Math.min(1, Math.max(0, Math.log(Math.max(ms, LEAST) / LEAST) / Math.log(high / LEAST)));
}

function Decades({ high }: { high: number }) {
  const marks = [0.01, 1, 100, 10_000].filter((ms) => ms <= high * 0.7);
  return (
    <span class="decades" aria-hidden="true">
      {marks.map((ms) => <span key={ms} style={{ left: `${share(ms, high) * 100}%` }}>{tick(ms, locale.value)}</span>)}
    </span>
  );
}
