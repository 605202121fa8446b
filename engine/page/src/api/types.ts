/** The shapes the server speaks; the same names as `polyrag ask --json`. */

export type Store = "relational" | "vector" | "graph";
export const STORES: readonly Store[] = ["relational", "vector", "graph"];

export type Stage = "heuristic" | "cosine" | "evidence" | "fallback";
export const STAGES: readonly Stage[] = ["heuristic", "cosine", "evidence", "fallback"];

export type ByStore<T> = Partial<Record<Store, T>>;
export type Cell = string | number | boolean | null;

export interface Anchor {
  route: string;
  /** Cosine to the nearest example phrase. */
  score: number;
  phrase: string;
}

export interface Evidence {
  /** `dense + lexical_weight * lexical`. */
  score: number;
  dense: number;
  lexical: number;
  source: string;
}

export interface Thresholds {
  tau_high: number;
  tau_low: number;
  delta: number;
}

export interface Decision {
  store: Store;
  stage: Stage;
  scores: ByStore<number>;
  margin: number;
  anchors: ByStore<Anchor>;
  evidence: ByStore<Evidence>;
  thresholds: Thresholds;
  possible: Store[];
  anchor_weight: number;
}

/** One edge of the way the walk's mass took; `chunk:ID` names a passage. */
export interface PathStep {
  from: string;
  to: string;
  kind: "relation" | "context" | "part" | "synonym";
  fact?: string;
  similarity?: number;
  mass: number;
}

export interface Retrieved {
  rank: number;
  store: string;
  document: string;
  location: string;
  chunk_id: string;
  score: number;
  text: string;
  also_at?: string[];
  path?: PathStep[] | null;
  flags?: string[];
}

export interface Fallback {
  from: string;
  to: string;
  reason: string;
}

export interface ValueLink {
  phrase: string;
  table: string;
  column: string;
  value: string;
  by: string;
}

export interface SqlDetails {
  attempts?: { sql: string; problem: string | null }[];
  links?: ValueLink[];
  abstained?: string | null;
}

export interface Part {
  question: string;
  route: Store;
  stage: Stage;
  scores: ByStore<number>;
  margin: number;
  evidence: ByStore<Evidence>;
  retrieved: Retrieved[];
  sql: string | null;
  columns: string[];
  rows: Cell[][];
  row_count: number;
  fallback: Fallback | null;
  decision?: Decision | null;
  sql_details?: SqlDetails | null;
}

export interface CacheVerdict {
  hit: boolean;
  score: number | null;
  guard: string | null;
  question?: string | null;
  entry?: number | null;
}

export interface Source {
  n: number;
  document: string;
  location: string;
  store: string;
  chunk_id?: string | null;
  also_at?: string[];
}

export interface Span {
  id?: number;
  name: string;
  start_ms: number;
  /** `null` while it runs. */
  ms: number | null;
  parent: string | null;
  attributes: Record<string, unknown>;
}

export interface Completion {
  asked?: string;
  message?: string;
  question: string;
  lean?: string;
  carried?: string[];
  replaced?: [string, string][];
}

export interface AskDocument {
  id: string;
  question: string;
  followup?: Completion | null;
  answer: string;
  language: string;
  abstained: boolean;
  parts: Part[];
  routes: Store[];
  cache: CacheVerdict;
  sources: Source[];
  trace_id: string;
  spans: Span[];
  timings: { total_ms: number; first_token_ms: number; model_ms: number };
  usage: { prompt_tokens: number; cached_tokens: number; completion_tokens: number };
  notes?: string[];
  conversation?: string | null;
  created_at?: number;
}

/** RFC 9457, with the way out in `hint`. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail?: string | null;
  hint?: string | null;
}

export interface AskBody {
  question: string;
  conversation: string | null;
  options: { top_k?: number; cache?: boolean; answer?: boolean; filter?: Record<string, string> };
}

export type AskEvent =
  | { event: "started"; data: { request_id: string; trace_id: string; conversation: string | null; question: string } }
  | { event: "span"; data: Span }
  | { event: "followup"; data: Completion }
  | { event: "cache"; data: CacheVerdict }
  | { event: "parts"; data: { questions: string[] } }
  | { event: "part"; data: PartDecided }
  | { event: "retrieved"; data: { part: number; items: Retrieved[] } }
  | { event: "sql_step"; data: { part: number; step: string; sql?: string; reason?: string } }
  | { event: "sql"; data: SqlRows }
  | { event: "fallback"; data: Fallback & { part: number } }
  | { event: "token"; data: { text: string } }
  | { event: "rewrite"; data: { reason: string } }
  | { event: "done"; data: AskDocument }
  | { event: "error"; data: Problem };

export interface PartDecided {
  index: number;
  question: string;
  route: Store;
  stage: Stage;
  scores: ByStore<number>;
  margin: number;
  evidence: ByStore<Evidence>;
  decision: Decision;
}

export interface SqlRows {
  part: number;
  sql: string | null;
  columns: string[];
  rows: Cell[][];
  row_count: number;
  details?: SqlDetails | null;
}
