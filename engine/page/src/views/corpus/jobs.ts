import { computed, signal } from "@preact/signals";
import { call, get, problemOf, upload } from "../../api/http";
import type { AddedDocument, Job, JobStep, JobSummary } from "../../api/corpus";
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
const dismissed = signal<ReadonlySet<number>>(new Set());
/** Counts up whenever the corpus may have changed. */
export const corpusVersion = signal(0);

export const shownJobs = computed(() => jobs.value.filter((job) => !dismissed.value.has(job.id) && (isOpen(job) || startedHere.has(job.id))));
const startedHere = new Set<number>();

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
export async function follow(id: number): Promise<void> {
  startedHere.add(id);
  takeJob(await get<Job>(`/api/jobs/${id}`));
}

/** Takes a job as the feed tells it; which documents are through is asked for at its end. */
export function takeSummary(summary: JobSummary) {
  const before = jobs.value.find((job) => job.id === summary.id);
  takeJob({ ...summary, documents: before?.documents ?? [] });
  if (!isOpen(jobs.value.find((job) => job.id === summary.id)!)) {
    void get<Job>(`/api/jobs/${summary.id}`).then(takeJob, () => undefined);
  }
}

export function takeDocument({ job: id, document }: { job: number; document: AddedDocument }) {
  const job = jobs.value.find((one) => one.id === id);
  if (!job || job.documents.some((one) => one.path === document.path)) return;
  takeJob({ ...job, documents: [...job.documents, document] });
}

export function takeJob(job: Job) {
  const before = jobs.value.find((one) => one.id === job.id);
  jobs.value = before ? jobs.value.map((one) => (one.id === job.id ? job : one)) : [job, ...jobs.value];
  if (!before || before.documents.length !== job.documents.length || before.state !== job.state) corpusVersion.value += 1;
}

/** Takes a step of a job: one of another file means that the file before is through. */
export function takeStep(step: JobStep & { job: number }) {
  jobs.value = jobs.value.map((job) => {
    if (job.id !== step.job || !isOpen(job)) return job;
    const through = job.current !== null && job.current.path !== step.path;
    return { ...job, current: step, finished: Math.min(job.files, job.finished + Number(through)) };
  });
}

export async function loadJobs(): Promise<void> {
  try {
    for (const job of (await get<{ jobs: Job[] }>("/api/jobs")).jobs.toReversed()) takeJob(job);
  } catch {
    // The list of documents says that the server is away.
  }
}

export async function stopJob(id: number): Promise<void> {
  await call("DELETE", `/api/jobs/${id}`).catch(() => undefined);
}

export function dismiss(id: number) {
  dismissed.value = new Set([...dismissed.value, id]);
}
