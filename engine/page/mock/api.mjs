import { streamAnswer } from "./replay.mjs";

/** The API's routes, over the values of `state.mjs`. */

export function problem(response, status, kind, title, hint = null, detail = null) {
  response.writeHead(status, { "content-type": "application/problem+json" });
  response.end(JSON.stringify({ type: `urn:polyrag:error:${kind}`, title, status, detail, hint }));
}

const json = (response, value, status = 200) => {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
};

const nothing = (response) => response.writeHead(204).end();

export function openStream(response) {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  let id = 0;
  return (event, data) => response.write(`id: ${++id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}

async function bodyOf(request) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces);
}

const page = (list, url, most) => {
  const offset = Number(url.searchParams.get("offset") ?? 0);
  return { offset, items: list.slice(offset, offset + Number(url.searchParams.get("limit") ?? most)) };
};

const ROUTES = [
  ["GET", /^\/api\/health$/, (c) => json(c.response, { status: "ok", version: "0.1.0", uptime_s: 61, documents: c.state.documents.length, running: 0, waiting: 0 })],
  ["GET", /^\/api\/events$/, events],
  ["POST", /^\/api\/ask$/, ask],
  ["DELETE", /^\/api\/ask\/(.+)$/, (c) => (c.state.stop(c.id) ? nothing(c.response) : problem(c.response, 404, "not-found", "not running"))],
  ["DELETE", /^\/api\/cache\/(.+)$/, (c) => { c.state.cached.clear(); nothing(c.response); }],
  ["POST", /^\/api\/search$/, search],
  ["GET", /^\/api\/documents$/, documents],
  ["POST", /^\/api\/documents$/, upload],
  ["GET", /^\/api\/documents\/(\d+)$/, (c) => one(c, c.state.documents.find((document) => document.id === Number(c.id)), "document")],
  ["DELETE", /^\/api\/documents\/(\d+)$/, (c) => json(c.response, { removed: c.state.remove(Number(c.id)) })],
  ["POST", /^\/api\/documents\/(\d+)\/reingest$/, (c) => json(c.response, { job: c.state.startJob("reingest", [c.state.documents.find((document) => document.id === Number(c.id)).name]) }, 202)],
  ["GET", /^\/api\/documents\/(\d+)\/chunks$/, chunks],
  ["GET", /^\/api\/chunks\/(.+)$/, chunk],
  ["GET", /^\/api\/jobs$/, (c) => json(c.response, { jobs: c.state.jobs })],
  ["GET", /^\/api\/jobs\/([^/]+)$/, (c) => one(c, c.state.jobs.find((job) => job.id === Number(c.id)), "job")],
  ["DELETE", /^\/api\/jobs\/([^/]+)$/, (c) => { c.state.stopJob(c.id); nothing(c.response); }],
  ["GET", /^\/api\/conversations$/, (c) => json(c.response, { conversations: c.state.conversationRows() })],
  ["GET", /^\/api\/conversations\/(.+)$/, (c) => one(c, c.state.conversations.find((conversation) => conversation.id === c.id), "conversation")],
  ["DELETE", /^\/api\/conversations\/(.+)$/, (c) => { c.state.forget(c.id); nothing(c.response); }],
  ["GET", /^\/api\/traces$/, traces],
  ["GET", /^\/api\/traces\/([^/]+)$/, (c) => one(c, c.state.traces.find((trace) => trace.trace_id === c.id), "trace")],
  ["POST", /^\/api\/traces\/([^/]+)\/replay$/, replay],
  ["GET", /^\/api\/latency$/, (c) => json(c.response, c.state.latency())],
  ["GET", /^\/api\/models$/, (c) => json(c.response, c.state.models)],
  ["POST", /^\/api\/models\/([^/]+)\/(load|sleep|selftest)$/, model],
];

/** Answers one call of the API. */
export async function api(state, request, response, url) {
  for (const [method, pattern, answer] of ROUTES) {
    const match = pattern.exec(url.pathname);
    if (!match || method !== request.method) continue;
    const id = match[1] === undefined ? undefined : decodeURIComponent(match[1]);
    return answer({ state, request, response, url, id, action: match[2] });
  }
  problem(response, 404, "not-found", `nothing at ${url.pathname}`);
}

function one({ response, id }, found, what) {
  if (found) json(response, found);
  else problem(response, 404, "not-found", `there is no ${what} ${id}`, "It may have been deleted.");
}

function events({ state, request, response }) {
  const send = openStream(response);
  response.write(": open\n\n");
  request.on("close", state.listen(send));
}

async function ask({ state, request, response }) {
  const body = JSON.parse(String(await bodyOf(request)));
  if (!body.question.trim()) return problem(response, 400, "usage", "the question is empty", "Write a question.");
  await streamAnswer(state, body, response);
}

async function search({ state, request, response }) {
  const { question, store, k } = JSON.parse(String(await bodyOf(request)));
  const words = question.toLowerCase().split(/\s+/);
  const found = state.chunks.filter((chunk) => words.some((word) => chunk.text.toLowerCase().includes(word)));
  const item = (chunk, at) => ({ rank: at + 1, store, document: chunk.document, location: chunk.location, chunk_id: chunk.chunk_id, score: 0.91 - at * 0.07, text: chunk.text });
  json(response, { retrieved: found.slice(0, k).map(item) });
}

function documents({ state, response, url }) {
  const q = (url.searchParams.get("q") ?? "").toLowerCase();
  const list = state.documents.filter((document) => document.path.toLowerCase().includes(q));
  const { offset, items } = page(list, url, 200);
  json(response, { total: list.length, offset, documents: items, failed: state.failed });
}

async function upload({ state, request, response }) {
  const body = await bodyOf(request);
  const names = [...body.toString("latin1").matchAll(/name="file"; filename="([^"]*)"/g)].map((match) => Buffer.from(match[1], "latin1").toString("utf8"));
  if (names.some((name) => name.startsWith("."))) return problem(response, 400, "usage", "a file name may not begin with a dot", "Rename the file, then add it again.");
  json(response, { job: state.startJob("add", names), files: names }, 202);
}

function chunks({ state, response, url, id }) {
  const list = state.chunks.filter((chunk) => chunk.document_id === Number(id));
  const { offset, items } = page(list, url, 20);
  json(response, { total: list.length, offset, document: { id: Number(id) }, chunks: items });
}

function chunk({ state, response, id }) {
  const found = state.chunks.find((one) => one.chunk_id === id);
  if (!found) return problem(response, 404, "not-found", `there is no passage ${id}`, "Its document may have been deleted. Ask again.");
  const same = state.chunks.filter((one) => one.document_id === found.document_id);
  const document = state.documents.find((one) => one.id === found.document_id);
  const near = (by) => same.filter((one) => one.ordinal === found.ordinal + by);
  json(response, { document, chunk: found, before: near(-1), after: near(1) });
}

function traces({ state, response, url }) {
  const q = (url.searchParams.get("q") ?? "").toLowerCase();
  const name = url.searchParams.get("name");
  const least = Number(url.searchParams.get("min_ms") ?? 0);
  const time = (trace) => (name ? Math.max(0, ...trace.spans.filter((span) => span.name === name).map((span) => span.ms)) : trace.timings.total_ms);
  const fits = (trace) =>
    trace.question.toLowerCase().includes(q) && (!name || trace.spans.some((span) => span.name === name)) && time(trace) >= least;
  json(response, { traces: state.traces.filter(fits).map(state.traceRow) });
}

function replay({ state, response, id }) {
  const trace = state.traces.find((one) => one.trace_id === id);
  if (!trace) return problem(response, 404, "not-found", `there is no trace ${id}`);
  const decision = ({ route, stage, scores, margin }) => ({ route, stage, scores, margin });
  const parts = trace.parts.map((part) => ({ question: part.question, stored: decision(part), replayed: decision(part), same: true, now: decision(part) }));
  json(response, { id, same: true, parts, versions: { stored: { corpus: 12 }, now: { corpus: 12 } } });
}

async function model({ state, response, id, action }) {
  const role = state.models.roles.find((one) => one.role === id);
  if (role.state === "missing") return problem(response, 503, "model", "no generate model: the file is missing", "polyrag models fetch");
  await state.wait(action === "load" ? 900 : 300);
  if (action === "selftest") {
    return json(response, { role: id, ok: true, detail: id === "embed" ? "4 texts compared with stored vectors" : "the answer is the expected one", ms: 182.4, worst_cosine: id === "embed" ? 0.99981 : null, tokens_per_second: role.tokens_per_second });
  }
  Object.assign(role, action === "load" ? { state: "loaded", memory_bytes: role.size, load_ms: 911 } : { state: "sleeping", memory_bytes: 0 });
  state.emit("model", role);
  json(response, role);
}
