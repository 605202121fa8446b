import { useSignal } from "@preact/signals";
import { call, problemOf } from "../../api/http";
import type { Replay, ReplayedDecision } from "../../api/machine";
import type { AskDocument, Problem, Span } from "../../api/types";
import { locale, t } from "../../i18n";
import { duration, fine, moment } from "../../model/format";
import { Button, CopyButton, Link, ProblemNote, Skeleton, StoreChip, storeName } from "../../ui/basic";
import { Icon } from "../../ui/icons";
import { useLoad } from "../../ui/load";
import { Waterfall } from "../../ui/waterfall";
import { storedTurn } from "../../model/turn";
import { CacheLine } from "../chat/cache-line";
import { DecisionCard } from "../chat/decision";
import { Found } from "../chat/found";
import { Passage } from "../chat/passage";

/** One stored trace: its steps with their numbers, its decisions, and the arithmetic done again. */
export function TraceDetail({ id }: { id: string }) {
  const s = t.value.trace;
  const found = useLoad<AskDocument>(`/api/traces/${encodeURIComponent(id)}`);
  const span = useSignal<Span | null>(null);
  const passage = useSignal<string | null>(null);
  const trace = found.data;
  return (
    <div class="column wide">
      <Link to="telemetry" class="back"><Icon name="left" />{t.value.telemetry.title}</Link>
      {found.problem && <ProblemNote problem={found.problem} retry={found.reload} />}
      {!trace && !found.problem && <Skeleton lines={10} />}
      {trace && (
        <>
          <header class="page-head">
            <h1>{trace.question}</h1>
            <CopyButton label={t.value.panel.copyTrace} text={() => JSON.stringify(trace, null, 2)} />
          </header>
          <p class="trace-facts">
            {trace.routes.map((store) => <StoreChip key={store} store={store} />)}
            <span>{duration(trace.timings.total_ms, locale.value)}</span>
            {trace.created_at !== undefined && <span class="quiet-text">{moment(trace.created_at, locale.value)}</span>}
            <code class="quiet-text">{trace.trace_id}</code>
          </p>
          {trace.answer && <p class="trace-answer">{trace.answer}</p>}
          <div class="trace-columns">
            <section>
              <h2>{s.steps}</h2>
              <Waterfall spans={trace.spans} now={0} choose={(one) => (span.value = one === span.value ? null : one)} chosen={span.value} />
            </section>
            <section>
              <h2>{s.attributes}</h2>
              {span.value ? <Attributes span={span.value} /> : <p class="quiet-text">{s.chooseStep}</p>}
            </section>
          </div>
          <CacheLine turn={storedTurn(0, trace.question, trace)} />
          <ReplayBox id={id} />
          <section>
            <h2>{t.value.panel.decided}</h2>
            <div class="side-by-side">
              {trace.parts.map((part, index) => <DecisionCard key={index} part={part} index={index} of={trace.parts.length} level={3} />)}
            </div>
          </section>
          {trace.parts.length > 0 && (
            <section>
              <h2>{t.value.panel.found}</h2>
              <div class="side-by-side">
                {trace.parts.map((part, index) => (
                  <Found key={index} part={part} index={index} of={trace.parts.length} level={3} running={false} openPassage={(chunk) => (passage.value = chunk)} />
                ))}
              </div>
            </section>
          )}
          {passage.value && <Passage id={passage.value} close={() => (passage.value = null)} />}
        </>
      )}
    </div>
  );
}

function Attributes({ span }: { span: Span }) {
  const s = t.value.trace;
  const entries = Object.entries(span.attributes);
  return (
    <div class="card">
      <h3><code>{span.name}</code></h3>
      <dl class="pairs">
        <dt>{s.begins}</dt><dd class="number">{duration(span.start_ms, locale.value)}</dd>
        <dt>{s.takes}</dt><dd class="number">{duration(span.ms ?? 0, locale.value)}</dd>
        {entries.map(([name, value]) => (
          <>
            <dt key={name}><code>{name}</code></dt>
            <dd class="detail">{typeof value === "object" ? JSON.stringify(value) : String(value)}</dd>
          </>
        ))}
      </dl>
    </div>
  );
}

/** Does the stored arithmetic again, and routes the question on the corpus of today. */
function ReplayBox({ id }: { id: string }) {
  const s = t.value.trace;
  const replay = useSignal<Replay | null>(null);
  const problem = useSignal<Problem | null>(null);
  const busy = useSignal(false);
  const run = async () => {
    busy.value = true;
    problem.value = null;
    try {
      replay.value = await call<Replay>("POST", `/api/traces/${encodeURIComponent(id)}/replay`);
    } catch (error) {
      problem.value = problemOf(error);
    } finally {
      busy.value = false;
    }
  };
  return (
    <section class="replay">
      <div class="section-head">
        <h2>{s.replay}</h2>
        <Button icon="again" disabled={busy.value} onClick={() => void run()}>{s.replayAction}</Button>
      </div>
      <p class="quiet-text">{s.replayText}</p>
      {problem.value && <ProblemNote problem={problem.value} />}
      {replay.value && (
        <div role="status">
          <p class="test-result" data-ok={replay.value.same}>
            <Icon name={replay.value.same ? "check" : "warning"} />
            <b>{replay.value.same ? s.same : s.differs}</b>
          </p>
          {replay.value.parts.map((part) => (
            <div key={part.question} class="table-box" tabIndex={0} role="region" aria-label={part.question}>
              <table>
                <caption>{part.question}</caption>
                <thead><tr><th scope="col"><span class="unseen">{s.which}</span></th><th scope="col">{s.route}</th><th scope="col">{s.stage}</th><th scope="col">{s.scores}</th><th scope="col" class="numeric">{t.value.decision.margin}</th></tr></thead>
                <tbody>
                  <ReplayRow name={s.stored} decision={part.stored} />
                  {part.replayed && <ReplayRow name={s.replayed} decision={part.replayed} />}
                  {part.now && <ReplayRow name={s.now} decision={part.now} />}
                </tbody>
              </table>
            </div>
          ))}
        </div>
      )}
    </section>
  );
}

function ReplayRow({ name, decision }: { name: string; decision: ReplayedDecision }) {
  const l = locale.value;
  const scores = Object.entries(decision.scores).map(([store, value]) => `${storeName(store)} ${fine(value, l)}`);
  return (
    <tr>
      <th scope="row">{name}</th>
      <td><StoreChip store={decision.route} /></td>
      <td>{t.value.decision.stages[decision.stage].name}</td>
      <td>{scores.join(" · ")}</td>
      <td class="numeric">{fine(decision.margin, l)}</td>
    </tr>
  );
}
