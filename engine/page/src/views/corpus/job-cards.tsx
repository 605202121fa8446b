import type { AddedDocument, Job } from "../../api/corpus";
import { locale, t } from "../../i18n";
import { duration, percent, shortPath } from "../../model/format";
import { Button, ProblemNote } from "../../ui/basic";
import { Icon } from "../../ui/icons";
import { dismiss, dropSending, isOpen, sending, shownJobs, stopJob } from "./jobs";
import { Placements } from "./placements";

/** What is on its way in: by file and by stage, and what became of it. */
export function JobCards() {
  const s = t.value.jobs;
  return (
    <>
      {sending.value.map((one) => (
        <section key={one.key} class="job" aria-label={s.sending(one.names.length)}>
          <header>
            <h2>{s.sending(one.names.length)}</h2>
            {one.problem ? <Button kind="quiet" icon="close" label={s.dismiss} onClick={() => dropSending(one.key)} /> : <span class="number">{percent(one.share, locale.value)}</span>}
          </header>
          {one.problem ? <ProblemNote problem={one.problem} /> : <Bar share={one.share} label={s.sending(one.names.length)} />}
        </section>
      ))}
      {shownJobs.value.map((job) => <JobCard key={job.id} job={job} />)}
    </>
  );
}

function JobCard({ job }: { job: Job }) {
  const s = t.value.jobs;
  const open = isOpen(job);
  const failed = job.documents.filter((document) => document.status === "failed").length;
  const title = open ? s.working(job.finished, job.files) : s.states[job.state as "done"](job.documents.length, failed);
  return (
    <section class="job" data-state={job.state} aria-label={title}>
      <header>
        <h2 aria-live="polite">{title}</h2>
        {!open && <span class="quiet-text">{duration(job.seconds * 1000, locale.value)}</span>}
        {open
          ? <Button kind="quiet" icon="stop" onClick={() => void stopJob(job.id)}>{s.stop}</Button>
          : <Button kind="quiet" icon="close" label={s.dismiss} onClick={() => dismiss(job.id)} />}
      </header>
      {open && <Bar share={shareOf(job)} label={title} />}
      {open && <p class="job-now">{job.current ? <Current job={job} /> : s.waiting}</p>}
      {job.error && <ProblemNote problem={job.error} />}
      <ul class="job-documents">{job.documents.map((document) => <Outcome key={document.path} document={document} />)}</ul>
    </section>
  );
}

function Current({ job }: { job: Job }) {
  const s = t.value.jobs;
  const { path, stage, done, total } = job.current!;
  const stages: Record<string, string> = s.stages;
  return (
    <>
      <b>{shortPath(path)}</b> {stages[stage] ?? stage}
      {total > 1 && <span class="number"> {done}/{total}</span>}
    </>
  );
}

function Outcome({ document }: { document: AddedDocument }) {
  const s = t.value.jobs;
  return (
    <li data-status={document.status}>
      <Icon name={document.status === "failed" ? "warning" : "check"} />
      <b>{shortPath(document.path)}</b>
      <span class="quiet-text">{s.statuses[document.status]}</span>
      <Placements placements={document.placements} />
      {document.error && <p class="job-error">{document.error}</p>}
      {(document.warnings ?? []).map((warning) => <p key={warning} class="quiet-text">{warning}</p>)}
    </li>
  );
}

/** Files that are through, and the share of the one being read. */
function shareOf(job: Job): number {
  const { current } = job;
  const inside = current && current.total > 0 ? current.done / current.total : 0;
  return job.files === 0 ? 0 : Math.min(1, (job.finished + inside * 0.9) / job.files);
}

function Bar({ share, label }: { share: number; label: string }) {
  return <progress max={1} value={share} aria-label={label} />;
}
