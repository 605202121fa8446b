import { describe, expect, it } from "vitest";
import type { AskDocument, AskEvent, Span } from "../../src/api/types";
import { applyEvent, isDecided, newTurn, stop, type Turn } from "../../src/model/turn";

const span = (id: number, name: string, start_ms: number, ms: number | null): Span => ({ id, name, start_ms, ms, parent: null, attributes: {} });
const play = (...events: AskEvent[]): Turn => events.reduce(applyEvent, newTurn(1, "a e b?", 0));
const decision = { store: "graph", stage: "cosine", scores: { graph: 0.9 }, margin: 0.1, anchors: {}, evidence: {}, thresholds: { tau_high: 0.8, tau_low: 0.7, delta: 0.02 }, possible: [], anchor_weight: 0.5 } as const;

function part(index: number, question: string): AskEvent {
  return { event: "part", data: { index, question, route: "graph", stage: "cosine", scores: { graph: 0.9 }, margin: 0.1, evidence: {}, decision: { ...decision, possible: [] } } };
}

describe("applyEvent", () => {
  it("puts a span's end in the place of its start", () => {
    const turn = play({ event: "span", data: span(1, "pipeline", 0, null) }, { event: "span", data: span(2, "pipeline.embed", 1, null) }, { event: "span", data: span(2, "pipeline.embed", 1, 8) });
    expect(turn.spans.map((one) => [one.name, one.ms])).toEqual([["pipeline", null], ["pipeline.embed", 8]]);
  });

  it("keeps two spans of one name apart", () => {
    const turn = play({ event: "span", data: span(1, "pipeline.embed", 0, 5) }, { event: "span", data: span(2, "pipeline.embed", 6, 7) });
    expect(turn.spans).toHaveLength(2);
  });

  it("fills parts in whatever order they come", () => {
    const turn = play({ event: "parts", data: { questions: ["a", "b"] } }, part(1, "b"), { event: "retrieved", data: { part: 1, items: [] } }, part(0, "a"));
    expect(turn.parts.map((one) => [one.question, isDecided(one)])).toEqual([["a", true], ["b", true]]);
  });

  it("does not lose a decision that came before the list of parts", () => {
    const turn = play(part(0, "a"), { event: "parts", data: { questions: ["a", "b"] } });
    expect(turn.parts.map(isDecided)).toEqual([true, false]);
  });

  it("clears a first try that was withdrawn", () => {
    const turn = play({ event: "token", data: { text: "wrong" } }, { event: "rewrite", data: { reason: "a number is not in the sources" } }, { event: "token", data: { text: "right" } });
    expect(turn.answer).toBe("right");
    expect(turn.rewritten).toContain("number");
  });

  it("takes the whole document as the truth", () => {
    const document = { answer: "whole", parts: [], cache: { hit: false, score: null, guard: null }, sources: [], spans: [], trace_id: "t", notes: ["n"] } as unknown as AskDocument;
    const turn = play({ event: "token", data: { text: "who" } }, { event: "done", data: document });
    expect([turn.answer, turn.state, turn.notes]).toEqual(["whole", "done", ["n"]]);
  });

  it("tells a stop from a failure", () => {
    const problem = (type: string): AskEvent => ({ event: "error", data: { type, title: "t", status: 0 } });
    expect(play(problem("urn:polyrag:error:cancelled")).state).toBe("stopped");
    const failed = play({ event: "token", data: { text: "so far" } }, problem("urn:polyrag:error:model"));
    expect([failed.state, failed.problem?.title, failed.answer]).toEqual(["failed", "t", "so far"]);
  });

  it("leaves no span running once stopped", () => {
    expect(stop(play({ event: "span", data: span(1, "pipeline", 0, null) })).spans).toEqual([]);
  });

  it("ignores an event it does not know", () => {
    expect(play({ event: "later", data: {} } as unknown as AskEvent)).toEqual(newTurn(1, "a e b?", 0));
  });
});
