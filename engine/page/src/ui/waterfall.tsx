import { useSignal } from "@preact/signals";
import type { Span } from "../api/types";
import { locale, t } from "../i18n";
import { duration, tick } from "../model/format";
import { extent, type Scale, type SpanBar, ticks, waterfall } from "../model/waterfall";
import { Segments } from "./basic";

interface WaterfallProps {
  spans: Span[];
  /** Milliseconds since the trace began; spans without an end reach to here. */
  now: number;
  /** The axis' end where several are compared. */
  total?: number;
  /** Called with a span to show its numbers. */
  choose?: (span: Span) => void;
  /** Leaves out the legend where it stands above already. */
  bare?: boolean;
  chosen?: Span | null;
}

/** Every step of a request on one axis of time; it grows while the request runs. */
export function Waterfall({ spans, now, total, choose, chosen, bare }: WaterfallProps) {
  const s = t.value.waterfall;
  const scale = useSignal<Scale>("linear");
  const end = total ?? extent(spans, now);
  const bars = waterfall(spans, now, scale.value, end);
  return (
    <div class="waterfall">
      <div class="waterfall-head">
        <p class="legend">{!bare && <><span><i class="key model" />{s.model}</span><span><i class="key arithmetic" />{s.arithmetic}</span></>}</p>
        <Segments
          label={s.scale}
          value={scale.value}
          choose={(next) => (scale.value = next)}
          options={[{ value: "linear", text: s.linear }, { value: "log", text: s.log }]}
        />
      </div>
      <ul>
        {bars.map((bar, at) => <Row key={bar.span.id ?? at} bar={bar} choose={choose} chosen={bar.span === chosen} />)}
      </ul>
      {scale.value === "linear" && <Axis end={end} />}
    </div>
  );
}

function Row({ bar, choose, chosen }: { bar: SpanBar; choose?: ((span: Span) => void) | undefined; chosen: boolean }) {
  const { span } = bar;
  const content = (
    <>
      <span class="span-name" style={{ paddingLeft: `${bar.depth * 10}px` }}>{nameOf(span)}</span>
      <span class="span-track" aria-hidden="true">
        <i data-model={bar.model} data-running={bar.running} style={{ left: `${bar.left * 100}%`, width: `${bar.width * 100}%` }} />
      </span>
      <span class="number">{duration(bar.ms, locale.value)}</span>
    </>
  );
  if (!choose) return <li class="span-row">{content}</li>;
  return (
    <li>
      <button type="button" class="span-row" aria-pressed={chosen} onClick={() => choose(span)}>{content}</button>
    </li>
  );
}

/** The span's name without the prefix that every one of them has; of a part, with its number. */
function nameOf(span: Span): string {
  const name = span.name.replace(/^(pipeline|store)\./, "");
  const part = span.attributes["part"];
  return typeof part === "number" ? `${name} ${part + 1}` : name;
}

function Axis({ end }: { end: number }) {
  const marks = ticks(end);
  return (
    <div class="axis" aria-hidden="true">
      <span class="axis-track">
        {marks.map((ms) => (ms / end > 0.93 ? null : <span key={ms} style={{ left: `${(ms / end) * 100}%` }}>{tick(ms, locale.value)}</span>))}
      </span>
    </div>
  );
}
