import { openStream } from "./api.mjs";
import { answerTo } from "./answers.mjs";

/** Sends the document of an answer as the events of its making, each at the time its spans say. */

export async function streamAnswer(state, body, response) {
  const id = state.newId();
  const conversation = body.conversation === "new" ? state.newConversation(body.question) : body.conversation;
  const document = { ...answerTo(state, body), trace_id: id, id, conversation };
  const send = openStream(response);
  const run = { stopped: false };
  state.running.set(id, run);
  response.on("close", () => (run.stopped = true));
  send("started", { request_id: id, trace_id: id, conversation, question: body.question });
  state.emit("request", { request_id: id, kind: "ask", state: "started", question: document.question });
  const over = await play(state, document, send, run);
  state.running.delete(id);
  if (over === "stopped") {
    send("error", { type: "urn:polyrag:error:cancelled", title: "stopped", status: 499 });
  } else if (document.failure) {
    send("error", document.failure);
  } else {
    state.keep(document, body, conversation);
    send("done", document);
  }
  state.emit("request", { request_id: id, kind: "ask", state: over, question: document.question });
  response.end();
}

/** Plays the spans in the order of their starts and ends; what each one brought comes with its end. */
async function play(state, document, send, run) {
  const moments = document.spans
    .flatMap((span, at) => [{ at: span.start_ms, span, number: at + 1, ended: false }, { at: span.start_ms + span.ms, span, number: at + 1, ended: true }])
    .sort((a, b) => a.at - b.at || Number(a.ended) - Number(b.ended));
  let clock = 0;
  let tokens = Promise.resolve();
  if (document.followup) send("followup", document.followup);
  for (const { at, span, number, ended } of moments) {
    await state.wait(at - clock);
    clock = at;
    if (run.stopped) return "stopped";
    if (ended && span.name === "pipeline.answer") await tokens;
    send("span", { ...span, id: number, ms: ended ? span.ms : null, attributes: ended ? span.attributes : started(span) });
    if (ended) brought(document, span, send);
    else if (span.name === "pipeline.answer") tokens = write(state, document, span, send, run);
  }
  await tokens;
  return run.stopped ? "stopped" : "done";
}

function started({ attributes }) {
  const { model, part } = attributes;
  return { ...(model ? { model } : {}), ...(part === undefined ? {} : { part }) };
}

function brought(document, span, send) {
  const index = span.attributes.part ?? 0;
  const part = document.parts[index];
  if (span.name === "pipeline.cache" && document.cache.score !== null) send("cache", document.cache);
  if (span.name === "pipeline.split") send("parts", { questions: document.parts.map((one) => one.question) });
  if (!part) return;
  if (span.name === "pipeline.router") {
    const { question, route, stage, scores, margin, evidence, decision } = part;
    send("part", { index, question, route, stage, scores, margin, evidence, decision });
  }
  if (span.name === "sql.generate") send("sql_step", { part: index, step: "wrote", sql: part.sql });
  if (span.name === "sql.query") {
    const { sql, columns, rows, row_count, sql_details } = part;
    send("sql", { part: index, sql, columns, rows, row_count, details: sql_details });
    if (part.fallback) send("fallback", { part: index, ...part.fallback });
  }
  if (span.name === "store.vector" || span.name === "store.graph") send("retrieved", { part: index, items: part.retrieved });
}

async function write(state, document, span, send, run) {
  const words = document.answer.match(/\S+\s*/g) ?? [];
  const first = span.attributes.first_token_ms ?? span.ms * 0.3;
  await state.wait(first);
  for (const text of words) {
    if (run.stopped) return;
    send("token", { text });
    await state.wait((span.ms - first) / words.length);
  }
}
