import { signal } from "@preact/signals";

/** The server's feed of everything that happens; the browser resumes it after the last event seen. */

export type Connection = "connecting" | "open" | "lost";
export const connection = signal<Connection>("connecting");

type Listener = (data: unknown) => void;
const listeners = new Map<string, Set<Listener>>();
let source: EventSource | null = null;

/** Calls `listener` for every event of this name until the returned function is called. */
export function onEvent<T>(name: string, listener: (data: T) => void): () => void {
  const known = listeners.get(name) ?? new Set<Listener>();
  listeners.set(name, known);
  known.add(listener as Listener);
  source?.addEventListener(name, dispatch);
  return () => known.delete(listener as Listener);
}

function dispatch(event: Event) {
  const { type, data } = event as MessageEvent<string>;
  const parsed: unknown = JSON.parse(data);
  for (const listener of listeners.get(type) ?? []) listener(parsed);
}

/** Opens the feed; once for the life of the page. */
export function openFeed() {
  source = new EventSource("/api/events");
  for (const name of listeners.keys()) source.addEventListener(name, dispatch);
  source.onopen = () => (connection.value = "open");
  source.onerror = () => {
    connection.value = "lost";
    // A refused connection is final for an EventSource: try again by hand.
    if (source?.readyState === EventSource.CLOSED) setTimeout(openFeed, 3000);
  };
}
