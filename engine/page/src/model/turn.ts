import type { AskDocument, AskEvent, CacheVerdict, Completion, Part, PartDecided, Problem, Source, Span, SqlRows } from "../api/types";

/** A question with everything known of its answer so far. Events turn one value into the next. */
export interface Turn {
  key: number;
  /** What was written; `question` may be its completed form. */
  message: string;
  state: "running" | "done" | "stopped" | "failed";
  /** When it was sent, on the page's own clock in milliseconds. */
  startedAt: number;
  requestId: string | null;
  followup: Completion | null;
  answer: string;
  /** What the answer's first try was withdrawn for. */
  rewritten: string | null;
  parts: Part[];
  cache: CacheVerdict | null;
  sources: Source[];
  spans: Span[];
  notes: string[];
  document: AskDocument | null;
  problem: Problem | null;
}

export function newTurn(key: number, message: string, startedAt: number): Turn {
  return {
    key, message, startedAt, state: "running", requestId: null, followup: null, answer: "", rewritten: null,
    parts: [], cache: null, sources: [], spans: [], notes: [], document: null, problem: null,
  };
}

/** A turn out of a stored document. */
export function storedTurn(key: number, message: string, document: AskDocument): Turn {
  return finish(newTurn(key, message, 0), document);
}

const EMPTY_PART: Omit<Part, "question" | "route" | "stage"> = {
  scores: {}, margin: 0, evidence: {}, retrieved: [], sql: null, columns: [], rows: [], row_count: 0, fallback: null,
};

/** Whether the router has decided on this part: one known by its text alone has no scores yet. */
export function isDecided(part: Part): boolean {
  return Object.keys(part.scores).length > 0;
}

export function applyEvent(turn: Turn, { event, data }: AskEvent): Turn {
  switch (event) {
    case "started":
      return { ...turn, requestId: data.request_id };
    case "span":
      return { ...turn, spans: withSpan(turn.spans, data) };
    case "followup":
      return { ...turn, followup: data };
    case "cache":
      return { ...turn, cache: data };
    case "parts":
      return { ...turn, parts: data.questions.map((question, index) => turn.parts[index] ?? pending(question)) };
    case "part":
      return withPart(turn, data.index, decided(data), data.question);
    case "retrieved":
      return withPart(turn, data.part, { retrieved: data.items });
    case "sql_step":
      return data.sql ? withPart(turn, data.part, { sql: data.sql }) : turn;
    case "sql":
      return withPart(turn, data.part, queried(data));
    case "fallback":
      return withPart(turn, data.part, { fallback: { from: data.from, to: data.to, reason: data.reason } });
    case "token":
      return { ...turn, answer: turn.answer + data.text };
    case "rewrite":
      return { ...turn, answer: "", rewritten: data.reason };
    case "done":
      return finish(turn, data);
    case "error":
      return data.type.endsWith(":cancelled") ? stop(turn) : fail(turn, data);
    default:
      // A newer server may say more than this page knows.
      return turn;
  }
}

/** Spans that never ended are gone: nothing runs any more. */
export function stop(turn: Turn): Turn {
  return { ...turn, state: "stopped", spans: turn.spans.filter((span) => span.ms !== null) };
}

export function fail(turn: Turn, problem: Problem): Turn {
  return { ...stop(turn), state: "failed", problem };
}

function finish(turn: Turn, document: AskDocument): Turn {
  return {
    ...turn,
    state: "done",
    requestId: document.trace_id,
    answer: document.answer,
    followup: document.followup ?? turn.followup,
    parts: document.parts,
    cache: document.cache,
    sources: document.sources,
    spans: document.spans,
    notes: document.notes ?? [],
    document,
  };
}

/** A span comes twice, at its start and at its end; the second takes the place of the first. */
function withSpan(spans: Span[], span: Span): Span[] {
  const at = spans.findIndex((known) => known.id !== undefined && known.id === span.id);
  if (at < 0) return [...spans, span].sort((a, b) => a.start_ms - b.start_ms);
  return spans.map((known, index) => (index === at ? span : known));
}

function pending(question: string): Part {
  return { ...EMPTY_PART, question, route: "vector", stage: "fallback" };
}

function decided(data: PartDecided): Partial<Part> {
  const { question, route, stage, scores, margin, evidence, decision } = data;
  return { question, route, stage, scores, margin, evidence, decision };
}

function queried(data: SqlRows): Partial<Part> {
  const { sql, columns, rows, row_count, details } = data;
  return { sql, columns, rows, row_count, sql_details: details ?? null };
}

function withPart(turn: Turn, index: number, change: Partial<Part>, question = turn.message): Turn {
  const parts = [...turn.parts];
  while (parts.length <= index) parts.push(pending(question));
  parts[index] = { ...parts[index]!, ...change };
  return { ...turn, parts };
}
