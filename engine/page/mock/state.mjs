import { chunks, documents, failed } from "./corpus.mjs";
import { models } from "./models.mjs";
import { seedTraces } from "./answers.mjs";

/** What the stand-in holds in memory; every start begins anew. */

const clone = (value) => structuredClone(value);
const now = () => Math.floor(Date.now() / 1000);

export function newState(speed, empty) {
  let ids = 0;
  const listeners = new Set();
  const state = {
    documents: empty ? [] : clone(documents),
    chunks: empty ? [] : clone(chunks),
    failed: empty ? [] : clone(failed),
    models: clone(models),
    traces: [],
    conversations: [],
    jobs: [],
    cached: new Map(),
    running: new Map(),
    newId: () => (0x15edb82be1141fan + BigInt(++ids) * 0x9e3779b97f4a7n).toString(16).padStart(16, "0").slice(-16),
    wait: (ms) => (speed > 0 && ms > 0 ? new Promise((done) => setTimeout(done, ms / speed)) : Promise.resolve()),
    emit: (event, data) => listeners.forEach((send) => send(event, data)),
    listen: (send) => {
      listeners.add(send);
      return () => listeners.delete(send);
    },
  };
  Object.assign(state, asking(state), corpus(state), telemetry(state));
  if (!empty) seedTraces(state);
  return state;
}

function asking(state) {
  return {
    stop(id) {
      const run = state.running.get(id);
      if (run) run.stopped = true;
      return Boolean(run);
    },
    newConversation(title) {
      const id = `c${state.conversations.length + 1}`;
      state.conversations.unshift({ id, title, created_at: now(), updated_at: now(), turns: [] });
      return id;
    },
    conversationRows: () => state.conversations.map((one) => ({ ...one, turns: one.turns.length })),
    forget(id) {
      state.conversations = state.conversations.filter((one) => one.id !== id);
    },
    keep(document, body, conversation) {
      state.traces.unshift({ ...document, created_at: now() });
      state.cached.set(document.question, document);
      const found = state.conversations.find((one) => one.id === conversation);
      if (!found) return;
      found.turns.push({ message: body.question, at: now(), report: document });
      found.updated_at = now();
    },
  };
}

function corpus(state) {
  return {
    remove(id) {
      const gone = state.documents.filter((one) => one.id === id).map((one) => one.path);
      state.documents = state.documents.filter((one) => one.id !== id);
      state.chunks = state.chunks.filter((one) => one.document_id !== id);
      state.emit("corpus", { version: 13 });
      return gone;
    },
    startJob(kind, names) {
      const job = { id: state.jobs.length + 1, kind, state: "queued", files: names.length, finished: 0, current: null, documents: [], error: null, created_at: now(), seconds: 0 };
      state.jobs.unshift(job);
      void runJob(state, job, names);
      return job.id;
    },
    stopJob(id) {
      const job = state.jobs.find((one) => one.id === Number(id));
      if (job) Object.assign(job, { state: "cancelled", current: null });
      state.emit("job", { ...job, documents: job.documents.length });
    },
  };
}

async function runJob(state, job, names) {
  await state.wait(250);
  job.state = "running";
  state.emit("job", { ...job, documents: job.documents.length });
  for (const name of names) {
    for (const [stage, total] of [["reading", 1], ["embedding", 6], ["extracting facts", 3]]) {
      for (let done = 0; done < total; done += 1) {
        if (job.state === "cancelled") return;
        job.current = { path: `uploads/${name}`, stage, done, total };
        state.emit("step", { job: job.id, ...job.current });
        await state.wait(130);
      }
    }
    job.finished += 1;
    job.documents.push(taken(state, job, name));
    job.seconds += 1.4;
    state.emit("document", { job: job.id, document: job.documents.at(-1) });
  }
  Object.assign(job, { state: "done", current: null });
  state.emit("job", { ...job, documents: job.documents.length });
}

function taken(state, job, name) {
  const path = `/home/ana/.polyrag/uploads/${name}`;
  if (name.endsWith(".exe")) {
    const reason = "this format is not read";
    state.failed.push({ path, reason, hint: "Convert it to PDF, text or a spreadsheet.", attempts: 1, first_at: now(), last_at: now() });
    return { path, status: "failed", error: reason, chunks: 0, placements: {}, tables: [], warnings: [] };
  }
  const placements = { vector: 4, graph: 2 };
  if (job.kind === "reingest") return { path, status: "unchanged", error: null, chunks: 6, placements, tables: [], warnings: [] };
  const id = Math.max(0, ...state.documents.map((one) => one.id)) + 1;
  state.documents.push({ id, source: path, path, name, kind: name.split(".").at(-1), content_hash: "b3", bytes: 18_204, language: "pt", requested_store: "auto", details: { encoding: "utf-8" }, also_at: [], added_at: now(), chunks: 6, placements, tables: [], uploaded: true });
  state.emit("corpus", { version: 13 });
  return { path, status: "added", error: null, chunks: 6, placements, tables: [], warnings: [] };
}

function telemetry(state) {
  return {
    traceRow: (trace) => ({
      id: trace.trace_id, created_at: trace.created_at, question: trace.question, routes: trace.routes, language: trace.language,
      abstained: trace.abstained, cache_hit: trace.cache.hit, total_ms: trace.timings.total_ms, first_token_ms: trace.timings.first_token_ms,
      model_ms: trace.timings.model_ms, spans: trace.spans.length,
    }),
    latency() {
      const times = new Map();
      for (const span of state.traces.flatMap((trace) => trace.spans)) times.set(span.name, [...(times.get(span.name) ?? []), span.ms]);
      const row = ([name, list]) => {
        const sorted = list.sort((a, b) => a - b);
        const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
        return { name, count: list.length, p50_ms: at(0.5), p95_ms: at(0.95), max_ms: sorted.at(-1) };
      };
      return { traces: state.traces.length, spans: [...times].map(row) };
    },
  };
}
