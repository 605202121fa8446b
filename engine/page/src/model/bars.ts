import { type ByStore, type Decision, type Part, STORES, type Store } from "../api/types";

/** What a store's score is made of. The two shares add up to the score. */
export interface ScoreBar {
  store: Store;
  score: number;
  /** Share given by what the store holds; `null` where the stage was not reached. */
  evidence: number | null;
  /** Share given by the example phrases. */
  anchor: number | null;
  chosen: boolean;
}

/**
 * Splits every store's score into its shares.
 *
 * The evidence stage compares `(evidence + w anchor) / (1 + w)`; the cosine stage compares the
 * anchors alone. Nothing is decided here: the weights come with the decision.
 */
export function scoreBars(part: Pick<Part, "scores" | "route" | "stage" | "decision">): ScoreBar[] {
  const bars = STORES.filter((store) => part.scores[store] !== undefined).map((store) => ({
    store,
    score: part.scores[store]!,
    chosen: store === part.route,
    ...shares(store, part.stage, part.decision ?? null),
  }));
  return bars.sort((a, b) => b.score - a.score);
}

function shares(store: Store, stage: string, decision: Decision | null): Pick<ScoreBar, "evidence" | "anchor"> {
  const anchor = decision?.anchors[store]?.score;
  const evidence = decision?.evidence[store]?.score;
  if (!decision || anchor === undefined) return { evidence: null, anchor: null };
  if (stage === "cosine" || evidence === undefined) return { evidence: null, anchor };
  const weight = decision.anchor_weight;
  return { evidence: evidence / (1 + weight), anchor: (weight * anchor) / (1 + weight) };
}

/** The scores on an axis that shows their differences, with the margin and what it had to reach. */
export interface MarginStrip {
  /** Which scores: those of the example phrases, or those with what the stores hold. */
  of: "anchors" | "evidence";
  low: number;
  high: number;
  /** `raised`: so near to the one before that its mark stands above it. */
  points: { store: Store; score: number; at: number; raised: boolean }[];
  /** Ends of the margin on the axis, from the second to the best, in `[0, 1]`. */
  margin: { from: number; to: number; value: number };
  /** Where a second score had to stay below, and the distance asked for. */
  delta: { at: number; value: number } | null;
}

/**
 * The comparisons that were made: the phrases against delta, and, where that was not enough, the
 * scores with evidence, of which the best wins by whatever margin.
 */
export function marginStrips(part: Pick<Part, "scores" | "margin" | "stage" | "decision">): MarginStrip[] {
  const { decision, stage } = part;
  const delta = decision?.thresholds.delta ?? null;
  if (stage !== "evidence") return present([stripOf("anchors", part.scores, part.margin, delta)]);
  const anchors: ByStore<number> = {};
  for (const store of STORES) if (decision?.anchors[store]) anchors[store] = decision.anchors[store].score;
  return present([stripOf("anchors", anchors, null, delta), stripOf("evidence", part.scores, part.margin, null)]);
}

function present<T>(list: (T | null)[]): T[] {
  return list.filter((one) => one !== null);
}

/** Places scores on an axis; `null` with fewer than two. The margin is taken from them where it is not given. */
function stripOf(of: MarginStrip["of"], scores: ByStore<number>, margin: number | null, delta: number | null): MarginStrip | null {
  const sorted = STORES.filter((store) => scores[store] !== undefined)
    .map((store) => ({ store, score: scores[store]! }))
    .sort((a, b) => b.score - a.score);
  const [best, second] = sorted;
  if (!best || !second) return null;
  const least = Math.min(sorted.at(-1)!.score, delta === null ? Infinity : best.score - delta);
  const pad = Math.max((best.score - least) * 0.12, 0.002);
  const [low, high] = [least - pad, best.score + pad];
  const at = (score: number) => (score - low) / (high - low);
  return {
    of,
    low,
    high,
    points: raise(sorted.map((point) => ({ ...point, at: at(point.score) }))),
    margin: { from: at(second.score), to: at(best.score), value: margin ?? best.score - second.score },
    delta: delta === null ? null : { at: at(best.score - delta), value: delta },
  };
}

/** Share of the axis that a mark takes. */
const MARK = 0.08;

function raise(points: Omit<MarginStrip["points"][number], "raised">[]): MarginStrip["points"] {
  const placed: MarginStrip["points"] = [];
  for (const point of points) {
    const before = placed.at(-1);
    placed.push({ ...point, raised: before !== undefined && !before.raised && before.at - point.at < MARK });
  }
  return placed;
}

export type StepState = "decided" | "passed" | "skipped";

/** What each stage of the router made of the question, cheapest first. */
export interface StageStep {
  stage: "heuristic" | "cosine" | "evidence";
  state: StepState;
  /** For the cosine stage: what was compared with what. */
  best?: number;
  tauHigh?: number;
  margin?: number;
  delta?: number;
}

export function stageSteps(part: Pick<Part, "stage" | "margin" | "decision">): StageStep[] {
  const order = ["heuristic", "cosine", "evidence"] as const;
  const reached = part.stage === "fallback" ? 1 : order.indexOf(part.stage);
  return order.map((stage, index) => {
    const state = index === reached ? "decided" : index < reached ? "passed" : "skipped";
    return stage === "cosine" && state !== "skipped" ? { stage, state, ...cosineNumbers(part) } : { stage, state };
  });
}

function cosineNumbers({ decision }: Pick<Part, "decision">): Partial<StageStep> {
  if (!decision) return {};
  const anchors = Object.values(decision.anchors).map((anchor) => anchor.score).sort((a, b) => b - a);
  const [best, second] = anchors;
  if (best === undefined) return {};
  const { tau_high: tauHigh, delta } = decision.thresholds;
  return { best, tauHigh, delta, ...(second === undefined ? {} : { margin: best - second }) };
}
