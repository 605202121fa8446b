import { computed, signal } from "@preact/signals";
import { ask, call, get, problemOf } from "../../api/http";
import type { ConversationRow } from "../../api/machine";
import type { AskDocument, AskEvent, Problem } from "../../api/types";
import { applyEvent, fail, newTurn, stop, storedTurn, type Turn } from "../../model/turn";
import { go } from "../../route";

/** The conversation on the screen. It lives outside the view, so that an answer goes on while another view is open. */

export const turns = signal<Turn[]>([]);
export const conversation = signal<string | null>(null);
export const conversations = signal<ConversationRow[] | null>(null);
export const loading = signal(false);
export const problem = signal<Problem | null>(null);
/** The turn whose numbers the panel shows. */
export const selected = signal<number | null>(null);
export const useCache = signal(true);

export const running = computed(() => turns.value.find((turn) => turn.state === "running") ?? null);
export const shown = computed(() => turns.value.find((turn) => turn.key === selected.value) ?? turns.value.at(-1) ?? null);

let nextKey = 1;
let controller: AbortController | null = null;

function change(key: number, by: (turn: Turn) => Turn) {
  turns.value = turns.value.map((turn) => (turn.key === key ? by(turn) : turn));
}

/** Asks in the conversation on the screen; begins one where there is none. */
export async function send(message: string): Promise<void> {
  if (running.value) return;
  const turn = newTurn(nextKey++, message, performance.now());
  turns.value = [...turns.value, turn];
  selected.value = turn.key;
  problem.value = null;
  const own = new AbortController();
  controller = own;
  const body = { question: message, conversation: conversation.value ?? "new", options: { cache: useCache.value } };
  try {
    await ask(body, own.signal, (event) => receive(turn.key, event));
  } catch (error) {
    change(turn.key, (now) => (now.state === "running" ? fail(now, problemOf(error)) : now));
  }
  void loadConversations();
}

function receive(key: number, event: AskEvent) {
  if (event.event === "started" && event.data.conversation && turns.value.some((turn) => turn.key === key)) {
    conversation.value = event.data.conversation;
    if (location.pathname === "/") go("chat", event.data.conversation, true);
  }
  // What still arrives after a stop is not shown.
  change(key, (turn) => (turn.state === "running" ? applyEvent(turn, event) : turn));
}

/** Stops what is being answered. What was written so far stays on the screen. */
export function stopAnswer() {
  const turn = running.value;
  if (!turn) return;
  const own = controller;
  change(turn.key, stop);
  // Closing the connection stops the work as well, but a proxy may notice that late.
  const told = turn.requestId ? call("DELETE", `/api/ask/${turn.requestId}`).catch(() => undefined) : Promise.resolve();
  void told.then(() => own?.abort());
}

/** Asks the same once more, in place of the answer that failed. */
export function askAgain(turn: Turn) {
  turns.value = turns.value.filter((one) => one.key !== turn.key);
  void send(turn.message);
}

export async function loadConversations(): Promise<void> {
  try {
    conversations.value = (await get<{ conversations: ConversationRow[] }>("/api/conversations")).conversations;
  } catch {
    conversations.value ??= [];
  }
}

/** Shows a conversation; `null` begins a new one. */
export async function open(id: string | null): Promise<void> {
  if (id === conversation.value) return;
  stopAnswer();
  conversation.value = id;
  turns.value = [];
  selected.value = null;
  problem.value = null;
  if (id === null) return;
  loading.value = true;
  try {
    const found = await get<{ turns: { message: string; report: AskDocument }[] }>(`/api/conversations/${encodeURIComponent(id)}`);
    if (conversation.value === id) turns.value = found.turns.map((turn) => storedTurn(nextKey++, turn.message, turn.report));
  } catch (error) {
    if (conversation.value === id) problem.value = problemOf(error);
  } finally {
    loading.value = false;
  }
}

export async function forget(id: string): Promise<void> {
  await call("DELETE", `/api/conversations/${encodeURIComponent(id)}`);
  if (conversation.value === id) go("chat");
  await loadConversations();
}

/** Removes the stored answer that served a turn, and asks anew. */
export async function forgetCached(turn: Turn): Promise<void> {
  const entry = turn.cache?.entry;
  if (entry === null || entry === undefined) return;
  try {
    await call("DELETE", `/api/cache/${entry}`);
    askAgain(turn);
  } catch (error) {
    problem.value = problemOf(error);
  }
}

/** Whether an answer failed for good, or only its connection. */
export function canRetry(turn: Turn): boolean {
  return turn.state === "stopped" || (turn.state === "failed" && turn.problem?.type !== "urn:polyrag:error:usage");
}

