import { computed, signal } from "@preact/signals";
import { call, get, problemOf, upload } from "../../api/http";
import type { Job, JobStep } from "../../api/corpus";
import type { Problem } from "../../api/types";

/** Files on their way in: what is being sent, and the jobs of the server. */

export interface Sending {
  key: number;
  names: string[];
  /** Share sent, in `[0, 1]`. */
  share: number;
  problem: Problem | null;
}

export const sending = signal<Sending[]>([]);
export const jobs = signal<Job[]>([]);
/** Jobs that the person has put aside. */
const dismissed = signal<ReadonlySet<string>>(new Set());
/** Counts up whenever the corpus may have changed. */
export const corpusVersion = signal(0);

export const shownJobs = computed(() => jobs.value.filter((job) => !dismissed.value.has(job.id) && (isOpen(job) || startedHere.has(job.id))));
const startedHere = new Set<string>();

export function isOpen(job: Job): boolean {
  return job.state === "queued" || job.state === "running";
}

let nextKey = 1;

export async function sendFiles(files: File[], fields: Record<string, string>): Promise<void> {
  if (files.length === 0) return;
  const key = nextKey++;
  const update = (change: Partial<Sending>) =>
    (sending.value = sending.value.map((one) => (one.key === key ? { ...one, ...change } : one)));
  sending.value = [{ key, names: files.map((file) => file.name), share: 0, problem: null }, ...sending.value];
  try {
    const { job } = await upload(files, fields, (share) => update({ share }));
    sending.value = sending.value.filter((one) => one.key !== key);
    await follow(job);
  } catch (error) {
    update({ problem: problemOf(error) });
  }
}

export function dropSending(key: number) {
  sending.value = sending.value.filter((one) => one.key !== key);
}

/** Shows a job that was started here until it is put aside. */
export async function follow(id: string): Promise<void> {
  startedHere.add(id);
  takeJob(await get<Job>(`/api/jobs/${encodeURIComponent(id)}`));
}

export function takeJob(job: Job) {
  const before = jobs.value.find((one) => one.id === job.id);
  jobs.value = before ? jobs.value.map((one) => (one.id === job.id ? job : one)) : [job, ...jobs.value];
  if (!before || before.finished !== job.finished || before.state !== job.state) corpusVersion.value += 1;
}

export function takeStep(step: JobStep & { job: string }) {
  jobs.value = jobs.value.map((job) => (job.id === step.job && isOpen(job) ? { ...job, current: step } : job));
}

export async function loadJobs(): Promise<void> {
  try {
    for (const job of (await get<{ jobs: Job[] }>("/api/jobs")).jobs.toReversed()) takeJob(job);
  } catch {
    // The list of documents says that the server is away.
  }
}

export async function stopJob(id: string): Promise<void> {
  await call("DELETE", `/api/jobs/${encodeURIComponent(id)}`).catch(() => undefined);
}

export function dismiss(id: string) {
  dismissed.value = new Set([...dismissed.value, id]);
}
