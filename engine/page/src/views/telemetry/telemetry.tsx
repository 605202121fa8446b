import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { onEvent } from "../../api/feed";
import type { LatencyRow, TraceRow } from "../../api/machine";
import { locale, t } from "../../i18n";
import { duration, moment } from "../../model/format";
import { place } from "../../route";
import { Button, Empty, Link, ProblemNote, Skeleton, StoreChip } from "../../ui/basic";
import { Icon } from "../../ui/icons";
import { useLoad } from "../../ui/load";
import { Compare } from "./compare";
import { Latency } from "./latency";
import { TraceDetail } from "./trace";

export function Telemetry() {
  const { id } = place.value;
  if (!id) return <Overview />;
  const [a, b] = id.split("+");
  return a && b ? <Compare a={a} b={b} /> : <TraceDetail id={id} />;
}

function Overview() {
  const s = t.value.telemetry;
  const words = useSignal("");
  const span = useSignal("");
  const least = useSignal("");
  const chosen = useSignal<string[]>([]);
  const latency = useLoad<{ traces: number; spans: LatencyRow[] }>("/api/latency");
  const list = useLoad<{ traces: TraceRow[] }>(`/api/traces?${query(words.value, span.value, least.value)}`);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const refresh = () => {
      clearTimeout(timer);
      timer = setTimeout(() => { list.reload(); latency.reload(); }, 400);
    };
    return onEvent<{ state: string }>("request", (data) => data.state !== "started" && refresh());
  }, [list.reload, latency.reload]);
  const traces = list.data?.traces;
  const filtered = words.value !== "" || span.value !== "" || least.value !== "";
  const toggle = (id: string, on: boolean) =>
    (chosen.value = on ? [...chosen.value.slice(-1), id] : chosen.value.filter((one) => one !== id));
  return (
    <div class="column wide">
      <header class="page-head">
        <h1>{s.title}</h1>
        {latency.data && <p class="quiet-text">{s.count(latency.data.traces)}</p>}
      </header>
      {latency.data && latency.data.spans.length > 0 && <Latency rows={latency.data.spans} />}
      <section>
        <div class="section-head">
          <h2>{s.traces}</h2>
          {chosen.value.length === 2
            ? <Link to="telemetry" id={chosen.value.join("+")} class="button strong">{s.compare}</Link>
            : <span class="quiet-text">{s.compareHint}</span>}
        </div>
        <div class="filters">
          <label class="search">
            <Icon name="search" />
            <span class="unseen">{s.question}</span>
            <input type="search" placeholder={s.question} value={words.value} onInput={(event) => (words.value = event.currentTarget.value)} />
          </label>
          <label>
            <span class="unseen">{s.step}</span>
            <select value={span.value} onChange={(event) => (span.value = event.currentTarget.value)}>
              <option value="">{s.anyStep}</option>
              {latency.data?.spans.map((row) => <option key={row.name} value={row.name}>{row.name}</option>)}
            </select>
          </label>
          <label class="least">
            {s.least}
            <input type="number" min="0" step="10" inputMode="numeric" value={least.value} onInput={(event) => (least.value = event.currentTarget.value)} />
            ms
          </label>
          {filtered && <Button kind="quiet" icon="close" onClick={() => { words.value = ""; span.value = ""; least.value = ""; }}>{s.clear}</Button>}
        </div>
        {list.problem && <ProblemNote problem={list.problem} retry={list.reload} />}
        {!traces && !list.problem && <Skeleton lines={8} />}
        {traces?.length === 0 && (filtered ? <p class="quiet-text">{s.noMatch}</p> : <Empty title={s.empty}><p>{s.emptyText}</p></Empty>)}
        {traces && traces.length > 0 && <Traces traces={traces} chosen={chosen.value} toggle={toggle} />}
      </section>
    </div>
  );
}

function query(words: string, span: string, least: string): string {
  const fields = new URLSearchParams({ limit: "200" });
  if (words) fields.set("q", words);
  if (span) fields.set("name", span);
  if (Number(least) > 0) fields.set("min_ms", least);
  return fields.toString();
}

function Traces({ traces, chosen, toggle }: { traces: TraceRow[]; chosen: string[]; toggle: (id: string, on: boolean) => void }) {
  const s = t.value.telemetry;
  const l = locale.value;
  const longest = Math.max(...traces.map((trace) => trace.total_ms));
  return (
    <ul class="traces">
      {traces.map((trace) => (
        <li key={trace.id} data-chosen={chosen.includes(trace.id)}>
          <input
            type="checkbox"
            aria-label={s.choose(trace.question)}
            checked={chosen.includes(trace.id)}
            onChange={(event) => toggle(trace.id, event.currentTarget.checked)}
          />
          <Link to="telemetry" id={trace.id}>
            <span class="trace-question">{trace.question}</span>
            <span class="trace-marks">
              {trace.routes.map((store) => <StoreChip key={store} store={store} />)}
              {trace.cache_hit && <span class="tag">{t.value.chat.fromCache}</span>}
              {trace.abstained && <span class="tag">{s.abstained}</span>}
              <span class="quiet-text">{moment(trace.created_at, l)}</span>
            </span>
            <span class="trace-bar" aria-hidden="true">
              <i class="arithmetic" style={{ width: `${(trace.total_ms / longest) * 100}%` }} />
              <i class="model" style={{ width: `${(Math.min(trace.model_ms, trace.total_ms) / longest) * 100}%` }} />
            </span>
            <span class="number">{duration(trace.total_ms, l)}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
