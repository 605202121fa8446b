import { EventParser } from "./sse";
import type { AskBody, AskEvent, Problem } from "./types";

/** What a request failed with; always a problem document, also when there was no answer at all. */
export class ApiError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail ?? problem.title);
  }
}

/** The problem of a server that does not answer. The views put the words of their language to it. */
export const UNREACHABLE = "urn:polyrag:page:unreachable";
/** The problem of a stream that ended before its last event. */
export const CUT_OFF = "urn:polyrag:page:cut-off";

function problem(type: string, status = 0): Problem {
  return { type, title: type, status };
}

/** The problem document of anything thrown. */
export function problemOf(error: unknown): Problem {
  if (error instanceof ApiError) return error.problem;
  if (error instanceof TypeError) return problem(UNREACHABLE);
  return { type: "about:blank", title: error instanceof Error ? error.message : String(error), status: 0 };
}

async function failure(response: Response): Promise<ApiError> {
  if (response.headers.get("content-type")?.includes("json")) {
    return new ApiError((await response.json()) as Problem);
  }
  return new ApiError({ type: "about:blank", title: `${response.status} ${response.statusText}`, status: response.status });
}

/** Calls the server; `undefined` where the answer has no body. */
export async function call<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const init: RequestInit = { method, headers: { accept: "application/json" } };
  if (signal) init.signal = signal;
  if (body !== undefined) {
    init.body = JSON.stringify(body);
    init.headers = { accept: "application/json", "content-type": "application/json" };
  }
  const response = await fetch(path, init);
  if (!response.ok) throw await failure(response);
  return response.status === 204 ? (undefined as T) : ((await response.json()) as T);
}

export const get = <T>(path: string, signal?: AbortSignal) => call<T>("GET", path, undefined, signal);

/** Asks, and hands over every event as it comes; ends with `done` or `error`, or throws. */
export async function ask(body: AskBody, signal: AbortSignal, receive: (event: AskEvent) => void): Promise<void> {
  const response = await fetch("/api/ask", {
    method: "POST",
    signal,
    headers: { accept: "text/event-stream", "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok || !response.body) throw await failure(response);
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  const parser = new EventParser();
  for (;;) {
    const { done, value } = await reader.read();
    for (const message of parser.push(decoder.decode(value, { stream: !done }))) {
      receive({ event: message.event, data: JSON.parse(message.data) } as AskEvent);
      if (message.event === "done" || message.event === "error") return;
    }
    if (done) throw new ApiError(problem(CUT_OFF));
  }
}

/** Uploads files; `progress` gets the share sent, in `[0, 1]`. */
export function upload(files: File[], fields: Record<string, string>, progress: (share: number) => void) {
  return new Promise<{ job: number; files: string[] }>((resolve, reject) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    for (const file of files) form.append("file", file, file.name);
    // fetch does not say how much of a body was sent.
    const request = new XMLHttpRequest();
    request.open("POST", "/api/documents");
    request.responseType = "json";
    request.upload.onprogress = (event) => event.lengthComputable && progress(event.loaded / event.total);
    request.onerror = () => reject(new ApiError(problem(UNREACHABLE)));
    request.onload = () => {
      if (request.status < 300) resolve(request.response as { job: number; files: string[] });
      else reject(new ApiError((request.response as Problem | null) ?? problem("about:blank", request.status)));
    };
    request.send(form);
  });
}
