import { locale, t } from "../../i18n";
import { duration, percent } from "../../model/format";
import type { Turn } from "../../model/turn";
import { CopyButton, Skeleton } from "../../ui/basic";
import { useNow } from "../../ui/load";
import { Waterfall } from "../../ui/waterfall";
import { CacheLine } from "./cache-line";
import { DecisionCard } from "./decision";
import { Found } from "./found";

interface PanelProps {
  turn: Turn;
  openPassage: (chunk: string) => void;
}

/** Everything that was decided on the way to an answer, while it happens and afterwards. */
export function Panel({ turn, openPassage }: PanelProps) {
  const s = t.value.panel;
  const running = turn.state === "running";
  const fromCache = turn.cache?.hit ?? false;
  return (
    <div class="panel-body">
      <header class="panel-head">
        <h2>{s.title}</h2>
        {turn.document && <CopyButton label={s.copyTrace} text={() => JSON.stringify(turn.document, null, 2)} />}
      </header>
      <CacheLine turn={turn} />
      <section>
        <h3>{turn.parts.length > 1 ? s.decidedParts(turn.parts.length) : s.decided}</h3>
        {fromCache && <p class="quiet-text">{s.decidedThen}</p>}
        {turn.parts.length === 0 && (running ? <Skeleton lines={4} /> : <p class="quiet-text">{s.nothingDecided}</p>)}
        <div class="side-by-side">
          {turn.parts.map((part, index) => <DecisionCard key={index} part={part} index={index} of={turn.parts.length} />)}
        </div>
      </section>
      <Time turn={turn} />
      {turn.parts.length > 0 && (
        <section>
          <h3>{s.found}</h3>
          <div class="side-by-side">
            {turn.parts.map((part, index) => (
              <Found key={index} part={part} index={index} of={turn.parts.length} running={running} openPassage={openPassage} />
            ))}
          </div>
        </section>
      )}
    </div>
  );
}

function Time({ turn }: { turn: Turn }) {
  const s = t.value.panel;
  const running = turn.state === "running";
  const clock = useNow(running);
  // A turn's clock is the page's own and starts a moment before the server's.
  const now = running ? Math.max(0, clock - turn.startedAt) : 0;
  if (turn.spans.length === 0 && !running) return null;
  return (
    <section>
      <h3>{s.time}</h3>
      {turn.document ? <ModelShare turn={turn} /> : null}
      {turn.spans.length === 0 ? <Skeleton lines={4} /> : <Waterfall spans={turn.spans} now={now} bare={turn.document !== null} />}
    </section>
  );
}

function ModelShare({ turn }: { turn: Turn }) {
  const s = t.value.panel;
  const { timings, usage } = turn.document!;
  const { total_ms: total, model_ms: model } = timings;
  const share = total > 0 ? Math.min(1, model / total) : 0;
  const l = locale.value;
  return (
    <div class="share">
      <div class="share-bar" aria-hidden="true"><span style={{ width: `${share * 100}%` }} /></div>
      <dl class="figures">
        <div><dt><i class="key model" />{s.inModels}</dt><dd>{duration(model, l)} <small>{percent(share, l)}</small></dd></div>
        <div><dt><i class="key arithmetic" />{s.elsewhere}</dt><dd>{duration(Math.max(0, total - model), l)}</dd></div>
        <div><dt>{s.firstWord}</dt><dd>{duration(timings.first_token_ms, l)}</dd></div>
        <div><dt>{s.tokens}</dt><dd>{s.tokenCount(usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens)}</dd></div>
      </dl>
    </div>
  );
}
