import type { ByStore, Problem, Stage, Store } from "./types";

/** Traces, models and the feed of events, as the server speaks them. */

export interface TraceRow {
  id: string;
  created_at: number;
  question: string;
  routes: Store[];
  language: string;
  abstained: boolean;
  cache_hit: boolean;
  total_ms: number;
  first_token_ms: number;
  model_ms: number;
  spans: number;
}

export interface LatencyRow {
  name: string;
  count: number;
  p50_ms: number;
  p95_ms: number;
  max_ms: number;
}

export interface ReplayedDecision {
  route: Store;
  stage: Stage;
  scores: ByStore<number>;
  margin: number;
}

export interface Replay {
  id: string;
  same: boolean;
  parts: {
    question: string;
    stored: ReplayedDecision;
    /** `null` where the trace holds no numbers to do it with. */
    replayed: ReplayedDecision | null;
    same: boolean;
    now: ReplayedDecision | null;
  }[];
  versions: { stored: Record<string, unknown>; now: Record<string, unknown> };
}

export type Role = "embed" | "generate" | "ocr";
export type RoleState = "loaded" | "sleeping" | "loading" | "missing" | "failed";

export interface Speed {
  prompt: number | null;
  decode: number | null;
}

export interface RoleEntry {
  role: Role;
  state: RoleState;
  name: string | null;
  file: string | null;
  device: string | null;
  gpu: boolean | null;
  reason: string | null;
  memory_bytes: number | null;
  threads: number | null;
  context_tokens: number | null;
  load_ms: number | null;
  dimension: number | null;
  tokens_per_second: Speed | null;
  error?: Problem | null;
  busy?: number;
}

export interface Device {
  index: number;
  name: string;
  description: string;
  gpu: boolean;
  software: boolean;
  memory_total: number;
  memory_free: number;
}

export interface ModelList {
  roles: RoleEntry[];
  devices: Device[];
  process: { memory_bytes: number | null };
}

export interface SelfTest {
  role: Role;
  ok: boolean;
  detail: string;
  ms: number;
  worst_cosine: number | null;
  tokens_per_second: Speed | null;
}

export interface ConversationRow {
  id: string;
  title: string;
  created_at: number;
  updated_at: number;
  turns: number;
}

export interface Health {
  status: string;
  version: string;
  uptime_s: number;
  documents: number;
  running: number;
  waiting: number;
}
