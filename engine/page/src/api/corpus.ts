import type { ByStore, Decision, Problem } from "./types";

/** Documents, chunks and jobs, as the server speaks them. */

export interface Column {
  name: string;
  header: string;
  kind: string;
  unit: string | null;
  /** Why this type, in words. */
  decision: string;
  nulls: number;
}

export interface TableInfo {
  name: string;
  location: string;
  caption: string | null;
  columns: Column[];
  rows: number;
  rollup_rows: number[];
  dialect: string[];
  warnings: { line: number | null; message: string }[];
}

export interface StoredDocument {
  id: number;
  source: string;
  path: string;
  name: string;
  kind: string;
  bytes: number;
  language: string | null;
  requested_store: string;
  details: Record<string, unknown> | null;
  also_at: string[];
  added_at: number;
  chunks: number;
  placements: ByStore<number>;
  tables: { name: string; info: TableInfo }[];
  uploaded: boolean;
}

export interface Failure {
  path: string;
  reason: string;
  hint: string | null;
  attempts: number;
  first_at: number;
  last_at: number;
}

export interface DocumentList {
  total: number;
  offset: number;
  documents: StoredDocument[];
  failed: Failure[];
}

export interface Chunk {
  id: number;
  chunk_id: string;
  document_id: number;
  document: string;
  path: string;
  ordinal: number;
  location: string;
  headings: string[];
  text: string;
  tokens: number;
  stores: string[];
  /** A placement as stored: its `decision`, or the decision itself. */
  decision: Decision | { decision: Decision; structure?: number } | null;
  flags?: string[];
}

export interface ChunkList {
  total: number;
  offset: number;
  chunks: Chunk[];
}

export interface ChunkInContext {
  document: { id: number; name: string; path: string; kind: string };
  chunk: Chunk;
  before: Chunk[];
  after: Chunk[];
}

export interface AddedDocument {
  path: string;
  status: "added" | "updated" | "unchanged" | "failed" | "removed";
  error: string | null;
  chunks: number;
  placements: ByStore<number>;
  tables: string[];
  warnings?: string[];
}

export type JobState = "queued" | "running" | "done" | "failed" | "cancelled";

export interface JobStep {
  path: string;
  stage: string;
  done: number;
  total: number;
}

export interface Job {
  id: number;
  kind: "add" | "reingest";
  state: JobState;
  files: number;
  finished: number;
  current: JobStep | null;
  documents: AddedDocument[];
  error: Problem | null;
  created_at: number;
  seconds: number;
}

/** A job as the feed tells it: how many documents are through, not which. */
export type JobSummary = Omit<Job, "documents"> & { documents: number };
