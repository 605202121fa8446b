import { describe, expect, it } from "vitest";
import type { Span } from "../../src/api/types";
import { compareSpans, extent, ticks, waterfall } from "../../src/model/waterfall";

const span = (name: string, start_ms: number, ms: number | null, parent: string | null = "pipeline", attributes = {}): Span => ({ name, start_ms, ms, parent: name === "pipeline" ? null : parent, attributes });

describe("waterfall", () => {
  const spans = [span("pipeline", 0, null), span("store.relational", 10, null), span("sql.generate", 11, null, "store.relational", { model: "m" }), span("pipeline.embed", 0, 8, "pipeline", { model: "e" })];

  it("lets what runs reach to now", () => {
    expect(extent(spans, 500)).toBe(500);
    const bars = waterfall(spans, 500, "linear");
    expect(bars.find((bar) => bar.span.name === "pipeline")).toMatchObject({ left: 0, width: 1, running: true });
    expect(bars.find((bar) => bar.span.name === "sql.generate")).toMatchObject({ ms: 489, model: true });
  });

  it("puts children below their parents, one step in", () => {
    expect(waterfall(spans, 500, "linear").map((bar) => [bar.span.name, bar.depth])).toEqual([
      ["pipeline", 0], ["pipeline.embed", 1], ["store.relational", 1], ["sql.generate", 2],
    ]);
  });

  it("gives each of two parents of one name its own child", () => {
    const two = [span("pipeline", 0, 100), span("store.relational", 0, 10), span("sql.query", 1, 2, "store.relational"), span("store.relational", 50, 10), span("sql.query", 51, 2, "store.relational")];
    expect(waterfall(two, 0, "linear").map((bar) => bar.span.start_ms)).toEqual([0, 0, 1, 50, 51]);
  });

  it("never loses a span, whatever its parent", () => {
    const odd = [span("a", 5, 1, "gone"), span("b", 3, 1, "b"), span("pipeline", 0, 1)];
    expect(waterfall(odd, 0, "linear")).toHaveLength(3);
  });

  it("makes microseconds visible beside seconds on the log scale", () => {
    const wide = [span("pipeline", 0, 30_000), span("pipeline.router", 40, 0.03), span("store.graph", 41, 3)];
    const [whole, router, graph] = waterfall(wide, 0, "log");
    expect(whole?.width).toBe(1);
    expect(router!.width).toBeGreaterThan(0.05);
    expect(graph!.width).toBeGreaterThan(router!.width);
  });
});

describe("ticks", () => {
  it("takes a few round numbers", () => {
    for (const total of [0.3, 1, 7, 34.2, 99, 480, 2938, 4830, 54_063, 1e6]) {
      const marks = ticks(total);
      expect(marks.length, String(total)).toBeGreaterThanOrEqual(2);
      expect(marks.length, String(total)).toBeLessThanOrEqual(6);
      expect(marks.at(-1)!).toBeLessThanOrEqual(total);
    }
  });
});

describe("compareSpans", () => {
  it("sums by name and keeps what one trace lacks", () => {
    const rows = compareSpans([span("pipeline.embed", 0, 5), span("pipeline.embed", 9, 7)], [span("pipeline.embed", 0, 3), span("store.graph", 3, 1)]);
    expect(rows).toEqual([{ name: "pipeline.embed", a: 12, b: 3 }, { name: "store.graph", a: null, b: 1 }]);
  });
});
