import { describe, expect, it } from "vitest";
import type { Decision, Part } from "../../src/api/types";
import { marginStrips, scoreBars, stageSteps } from "../../src/model/bars";

const anchor = (score: number) => ({ route: "r", score, phrase: "p" });
const evidence = (score: number) => ({ score, dense: score, lexical: 0, source: "s" });

function decided(stage: Part["stage"]): Part {
  const decision: Decision = {
    store: "graph", stage, margin: 0.03, possible: [], anchor_weight: 0.5,
    scores: { graph: (0.9 + 0.5 * 0.86) / 1.5, vector: (0.87 + 0.5 * 0.85) / 1.5 },
    anchors: { graph: anchor(0.86), vector: anchor(0.85), relational: anchor(0.8) },
    evidence: { graph: evidence(0.9), vector: evidence(0.87) },
    thresholds: { tau_high: 0.87, tau_low: 0.77, delta: 0.02 },
  };
  const scores = stage === "cosine" ? { graph: 0.86, vector: 0.85, relational: 0.8 } : decision.scores;
  return { question: "", route: "graph", stage, scores, margin: 0.03, evidence: decision.evidence, retrieved: [], sql: null, columns: [], rows: [], row_count: 0, fallback: null, decision: { ...decision, scores } };
}

describe("scoreBars", () => {
  it("splits a score into shares that add up to it", () => {
    const bars = scoreBars(decided("evidence"));
    expect(bars.map((bar) => bar.store)).toEqual(["graph", "vector"]);
    for (const bar of bars) expect(bar.evidence! + bar.anchor!).toBeCloseTo(bar.score, 10);
    expect(bars[0]?.chosen).toBe(true);
  });

  it("gives the cosine stage one share, though evidence was looked at", () => {
    const bars = scoreBars(decided("cosine"));
    expect(bars).toHaveLength(3);
    expect(bars.every((bar) => bar.evidence === null && bar.anchor === bar.score)).toBe(true);
  });

  it("shows scores without a decision whole", () => {
    const { decision, ...rest } = decided("evidence");
    expect(decision).toBeDefined();
    expect(scoreBars(rest)[0]).toMatchObject({ evidence: null, anchor: null });
  });
});

describe("marginStrips", () => {
  it("shows the phrases against delta, and then the evidence", () => {
    const [phrases, held] = marginStrips(decided("evidence"));
    expect(phrases?.of).toBe("anchors");
    expect(phrases?.margin.value).toBeCloseTo(0.01, 10);
    expect(phrases?.delta?.value).toBe(0.02);
    expect(held).toMatchObject({ of: "evidence", delta: null, margin: { value: 0.03 } });
  });

  it("puts the limit left of the second score exactly when the margin is too small", () => {
    const [strip] = marginStrips(decided("evidence"));
    const second = strip!.points[1]!;
    expect(strip!.delta!.at < second.at).toBe(strip!.margin.value < strip!.delta!.value);
  });

  it("keeps every mark on the axis, and raises those that would cover another", () => {
    for (const stage of ["evidence", "cosine"] as const) {
      for (const strip of marginStrips(decided(stage))) {
        for (const point of strip.points) expect(point.at).toBeGreaterThan(0);
        for (const point of strip.points) expect(point.at).toBeLessThan(1);
      }
    }
    const close = { ...decided("cosine"), scores: { graph: 0.9, vector: 0.899, relational: 0.7 } };
    expect(marginStrips(close)[0]?.points.map((point) => point.raised)).toEqual([false, true, false]);
  });

  it("draws nothing of one score", () => {
    expect(marginStrips({ ...decided("cosine"), scores: { graph: 0.9 } })).toEqual([]);
  });
});

describe("stageSteps", () => {
  it("says what was passed, what decided and what was not needed", () => {
    const states = (stage: Part["stage"]) => stageSteps(decided(stage)).map((step) => step.state);
    expect(states("heuristic")).toEqual(["decided", "skipped", "skipped"]);
    expect(states("cosine")).toEqual(["passed", "decided", "skipped"]);
    expect(states("fallback")).toEqual(["passed", "decided", "skipped"]);
    expect(states("evidence")).toEqual(["passed", "passed", "decided"]);
  });

  it("carries the cosine stage's numbers", () => {
    const cosine = stageSteps(decided("evidence"))[1];
    expect(cosine).toMatchObject({ best: 0.86, tauHigh: 0.87, delta: 0.02 });
    expect(cosine?.margin).toBeCloseTo(0.01, 10);
  });
});
