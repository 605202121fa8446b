import type { Span } from "../api/types";

export type Scale = "linear" | "log";

/** A span as a bar: left edge and width in `[0, 1]` of the axis. */
export interface SpanBar {
  span: Span;
  depth: number;
  left: number;
  width: number;
  ms: number;
  running: boolean;
  /** Time in a model; everything else is arithmetic and storage. */
  model: boolean;
}

/** Milliseconds the whole trace has taken by `now` (milliseconds since it began). */
export function extent(spans: Span[], now: number): number {
  const ends = spans.map((span) => span.start_ms + (span.ms ?? Math.max(now - span.start_ms, 0)));
  return Math.max(1, ...ends);
}

/**
 * Lays the spans out below one another.
 *
 * Linear: where a span began and how long it took, on one axis. Log: how long alone, from 0.01 ms
 * on, so that microseconds of arithmetic can be read beside seconds of a model.
 */
export function waterfall(spans: Span[], now: number, scale: Scale, total = extent(spans, now)): SpanBar[] {
  const names = new Map(spans.map((span) => [span.name, span]));
  const depth = (span: Span): number => {
    const parent = span.parent === null ? undefined : names.get(span.parent);
    return parent && parent !== span ? 1 + Math.min(depth(parent), 6) : 0;
  };
  return ordered(spans).map((span) => {
    const running = span.ms === null;
    const ms = span.ms ?? Math.max(now - span.start_ms, 0);
    const place = scale === "linear"
      ? { left: clamp(span.start_ms / total), width: clamp(ms / total) }
      : { left: 0, width: logShare(ms, total) };
    return { span, depth: depth(span), ms, running, model: "model" in span.attributes, ...place };
  });
}

/** Children stand below their parent, each in the order they began. */
function ordered(spans: Span[]): Span[] {
  const sorted = [...spans].sort((a, b) => a.start_ms - b.start_ms || (b.ms ?? Infinity) - (a.ms ?? Infinity));
  const names = new Set(sorted.map((span) => span.name));
  const placed = new Set<Span>();
  const list: Span[] = [];
  const place = (span: Span) => {
    if (placed.has(span)) return;
    placed.add(span);
    list.push(span);
    const inside = (child: Span) => child.parent === span.name && child !== span && within(child, span);
    sorted.filter(inside).forEach(place);
  };
  sorted.filter((span) => span.parent === null || !names.has(span.parent)).forEach(place);
  sorted.forEach(place);
  return list;
}

/** Parents are known by name only: of two with one name, the child belongs to the one that it ran in. */
function within(child: Span, parent: Span): boolean {
  const tolerance = 0.5;
  const end = parent.start_ms + (parent.ms ?? Infinity);
  return child.start_ms >= parent.start_ms - tolerance && child.start_ms <= end + tolerance;
}

const LEAST_MS = 0.01;

function logShare(ms: number, total: number): number {
  if (ms <= LEAST_MS) return 0.005;
  return clamp(Math.log(ms / LEAST_MS) / Math.log(Math.max(total, 1) / LEAST_MS));
}

function clamp(share: number): number {
  return Math.min(1, Math.max(0, share));
}

/** Round numbers for the axis, from zero on, at most six. */
export function ticks(total: number): number[] {
  const rough = total / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough) ?? rough;
  return Array.from({ length: Math.floor(total / step) + 1 }, (_, index) => index * step);
}

/** A span of one trace beside those of the same name in another. */
export interface Difference {
  name: string;
  a: number | null;
  b: number | null;
}

/** Sums both traces by span name, in the order of the first. */
export function compareSpans(a: Span[], b: Span[]): Difference[] {
  const sum = (spans: Span[]) => {
    const sums = new Map<string, number>();
    for (const span of spans) sums.set(span.name, (sums.get(span.name) ?? 0) + (span.ms ?? 0));
    return sums;
  };
  const [left, right] = [sum(a), sum(b)];
  const names = [...new Set([...left.keys(), ...right.keys()])];
  return names.map((name) => ({ name, a: left.get(name) ?? null, b: right.get(name) ?? null }));
}
