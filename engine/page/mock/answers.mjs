import { chunks } from "./corpus.mjs";
import { SCRIPT } from "./script.mjs";

/** Answers in the shape of `ask --json`, put together from the demo's script of questions. */

const THRESHOLDS = { tau_high: 0.8672, tau_low: 0.7714, delta: 0.0214, anchor_ambiguity: null, ambiguity: null };
const PHRASES = {
  relational: { route: "figures", phrase: "Qual foi o total de vendas no mês?" },
  vector: { route: "prose", phrase: "Conte a história da empresa" },
  graph: { route: "facts", phrase: "De qual serviço o portal depende?" },
};
const WEIGHT = 0.5;

const copy = (value) => structuredClone(value);
const round = (value) => Math.round(value * 1e4) / 1e4;

/** The answer to a request: by the cache, by the script, or an abstention. */
export function answerTo(state, body) {
  const asked = body.question.trim();
  const last = state.conversations.find((one) => one.id === body.conversation)?.turns.at(-1);
  const followup = last && /^(e|and) /i.test(asked) ? completed(asked, last.report.question) : null;
  const question = followup?.question ?? asked;
  const known = state.cached.get(question);
  if (known && body.options?.cache !== false) return fromCache(known);
  const scripted = SCRIPT.find((one) => one.question === question) ?? SCRIPT.find((one) => one.question === "*");
  return { ...document(scripted, question, nearest(state, question)), followup };
}

function completed(asked, before) {
  const name = /\b(?:do|da|no|of) (\p{Lu}\p{L}+)/u.exec(asked)?.[1];
  if (!name) return null;
  const replaced = /Sul|Norte/.exec(before)?.[0] ?? "";
  return { asked, question: before.replace(replaced, name), lean: "ellipsis", carried: [], replaced: [[replaced, name]] };
}

function fromCache(known) {
  const cache = { hit: true, score: 1, guard: "pass", question: known.question, entry: 7 };
  const spans = [span("pipeline", 0, 34.2), span("pipeline.embed", 0.1, 33.1, { model: "multilingual-e5-small" }), span("pipeline.cache", 33.3, 0.46, { hit: true, score: 1 })];
  return { ...copy(known), cache, spans, timings: { total_ms: 34.2, first_token_ms: 33.9, model_ms: 33.1 }, usage: { prompt_tokens: 0, cached_tokens: 0, completion_tokens: 0 } };
}

/** The nearest stored question, and the guard's word on it. */
function nearest(state, question) {
  const pair = [...state.cached.keys()].find((known) => known !== question && /receita/.test(known) && /receita/.test(question));
  if (!pair) return { hit: false, score: null, guard: null };
  const name = (text) => (/Sul|Norte/.exec(text)?.[0] ?? "-").toLowerCase();
  return { hit: false, score: 0.9812, guard: `names differ: ${name(pair)}/${name(question)}`, question: pair, entry: 7 };
}

function span(name, start_ms, ms, attributes = {}, parent = name === "pipeline" ? null : "pipeline") {
  return { name, start_ms: round(start_ms), ms: round(ms), parent, attributes };
}

function document(scripted, question, cache) {
  const parts = scripted.parts.map((part) => partOf(part, part.question ?? question));
  const spans = spansOf(scripted, parts);
  const total = spans[0].ms;
  const model = spans.filter((one) => one.attributes.model).reduce((sum, one) => sum + one.ms, 0);
  const answer = spans.find((one) => one.name === "pipeline.answer");
  return {
    id: "", question, answer: scripted.answer, language: scripted.language ?? "pt", abstained: scripted.abstained ?? false,
    parts, routes: [...new Set(parts.map((part) => part.route))], cache, sources: scripted.sources ?? [], trace_id: "", spans,
    timings: { total_ms: total, first_token_ms: answer ? answer.start_ms + (answer.attributes.first_token_ms ?? 0) : total, model_ms: round(model) },
    usage: { prompt_tokens: 1558, cached_tokens: 1021, completion_tokens: scripted.answer.split(" ").length * 2 },
    notes: scripted.notes ?? [], failure: scripted.failure,
  };
}

function partOf(part, question) {
  const anchors = {};
  const evidence = {};
  for (const store of Object.keys(PHRASES)) {
    const [anchor, dense, lexical, source] = part.numbers[store];
    anchors[store] = { ...PHRASES[store], score: anchor };
    evidence[store] = { score: round(dense + 0.05 * lexical), dense, lexical, source };
  }
  const [best, second] = Object.values(anchors).map((anchor) => anchor.score).sort((a, b) => b - a);
  const stage = best >= THRESHOLDS.tau_high && best - second >= THRESHOLDS.delta ? "cosine" : "evidence";
  const scores = {};
  for (const store of Object.keys(PHRASES)) {
    scores[store] = stage === "cosine" ? anchors[store].score : round((evidence[store].score + WEIGHT * anchors[store].score) / (1 + WEIGHT));
  }
  const sorted = Object.values(scores).sort((a, b) => b - a);
  const margin = round(sorted[0] - sorted[1]);
  const decision = { store: part.route, stage, scores, margin, anchors, evidence, thresholds: THRESHOLDS, possible: [part.route], anchor_weight: WEIGHT };
  return {
    question, route: part.route, stage, scores, margin, evidence, decision,
    retrieved: (part.retrieved ?? []).map(passage), sql: part.sql ?? null, columns: part.columns ?? [], rows: part.rows ?? [],
    row_count: part.rows?.length ?? 0, fallback: part.fallback ?? null, sql_details: part.sql ? { attempts: part.attempts ?? [{ sql: part.sql, problem: null }], links: part.links ?? [], abstained: null } : null,
  };
}

function passage([document, location, score, path], at) {
  const chunk = chunks.find((one) => one.document === document && one.location.startsWith(location));
  const fill = (step) => ({ ...step, to: step.to === "*" ? `chunk:${chunk.id}` : step.to });
  return { rank: at + 1, store: path ? "graph" : "vector", document, location: chunk.location, chunk_id: chunk.chunk_id, score, text: chunk.text, flags: chunk.flags, ...(path ? { path: path.map(fill) } : {}) };
}

/** The spans in the order of the real program, a part's own below it. */
function spansOf(scripted, parts) {
  const spans = [span("pipeline.embed", 0.1, 33.4, { model: "multilingual-e5-small", texts: 1 }), span("pipeline.cache", 33.6, 0.46, { hit: false }), span("pipeline.split", 34.1, 0.07, { parts: parts.length })];
  let clock = 34.3;
  if (parts.length > 1) {
    spans.push(span("pipeline.embed", clock, 37.1, { model: "multilingual-e5-small", texts: parts.length }));
    clock += 37.2;
  }
  const ends = parts.map((part, index) => partSpans(spans, scripted.parts[index], part, index, clock, parts.length > 1));
  clock = Math.max(...ends);
  if (!scripted.abstained && !scripted.failure) {
    const ms = scripted.writing ?? 2900;
    spans.push(span("pipeline.answer", clock, ms, { model: "Qwen2.5-Coder-1.5B-Instruct", "gen_ai.usage.input_tokens": 640, "gen_ai.usage.output_tokens": 41, first_token_ms: ms * 0.32 }));
    clock += ms;
  }
  return [span("pipeline", 0, clock + 0.6), ...spans];
}

function partSpans(spans, scripted, part, index, from, several) {
  const own = several ? { part: index } : {};
  spans.push(span("pipeline.evidence", from, 3.1, own), span("pipeline.router", from + 3.2, 0.03, { ...own, route: part.route, stage: part.stage, margin: part.margin }));
  let clock = from + 3.3;
  if (part.sql) {
    const writing = scripted.querying ?? 1850;
    spans.push(span("store.relational", clock, writing + 1.2, { ...own, links: scripted.links?.length ?? 0, attempts: 1 }));
    spans.push(span("sql.generate", clock + 0.4, writing, { ...own, model: "Qwen2.5-Coder-1.5B-Instruct", "db.query.text": part.sql }, "store.relational"));
    spans.push(span("sql.query", clock + writing + 0.5, 0.25, { ...own, "db.response.returned_rows": part.rows.length }, "store.relational"));
    clock += writing + 1.3;
  }
  if (part.retrieved.length > 0) {
    const name = part.route === "graph" ? "store.graph" : "store.vector";
    spans.push(span(name, clock, 0.94, { ...own, ...(part.route === "graph" ? { "graph.seeds": 3, "graph.embedded": 0 } : { dense: 30, lexical: 12, approximate: false }) }));
    clock += 1;
  }
  return clock;
}

/** A few traces of last week, so that the telemetry has something to show. */
export function seedTraces(state) {
  const begin = Math.floor(Date.parse("2026-03-10T09:00:00Z") / 1000);
  SCRIPT.filter((one) => one.question !== "*" && !one.failure).forEach((scripted, at) => {
    const id = state.newId();
    state.traces.unshift({ ...document(scripted, scripted.question, { hit: false, score: null, guard: null }), id, trace_id: id, created_at: begin + at * 97 });
  });
}
