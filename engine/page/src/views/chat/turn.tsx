import type { Source, Span } from "../../api/types";
import { locale, t } from "../../i18n";
import { chunkOf, partOfQuery, pieces } from "../../model/citations";
import { duration } from "../../model/format";
import type { Turn } from "../../model/turn";
import { Button, CopyButton, ProblemNote, saveFile, Skeleton, StoreChip } from "../../ui/basic";
import { Icon, StoreMark } from "../../ui/icons";
import { askAgain, canRetry, selected } from "./state";

interface TurnProps {
  turn: Turn;
  chosen: boolean;
  openPassage: (chunk: string) => void;
  showPanel: () => void;
}

export function TurnView({ turn, chosen, openPassage, showPanel }: TurnProps) {
  const s = t.value.chat;
  const open = (source: Source) => {
    const chunk = chunkOf(source, turn.parts);
    if (chunk) return openPassage(chunk);
    selected.value = turn.key;
    showQuery(partOfQuery(source, turn.parts), showPanel);
  };
  return (
    <article class="turn" data-chosen={chosen} data-state={turn.state}>
      <p class="question">
        <span class="unseen">{s.youAsked} </span>
        {turn.message}
      </p>
      {turn.followup && <p class="understood"><span>{s.understoodAs}</span> {turn.followup.question}</p>}
      <Answer turn={turn} open={open} />
      {turn.state === "running" && <Now spans={turn.spans} writing={turn.answer !== ""} />}
      {turn.state === "stopped" && <p class="quiet-text">{s.stopped}</p>}
      {turn.problem && <ProblemNote problem={turn.problem} />}
      {canRetry(turn) && <Button icon="again" onClick={() => askAgain(turn)}>{t.value.common.tryAgain}</Button>}
      {turn.notes.map((note) => <p key={note} class="note"><Icon name="warning" />{note}</p>)}
      {turn.state === "done" && <Sources turn={turn} open={open} />}
      {turn.state !== "failed" && <Foot turn={turn} showPanel={showPanel} />}
    </article>
  );
}

/** Brings a part's query into sight; on a narrow screen the panel is opened first. */
function showQuery(part: number, showPanel: () => void) {
  const find = () => [...document.querySelectorAll<HTMLElement>(`[data-query="${part}"]`)].find((one) => one.offsetParent !== null);
  if (!find()) showPanel();
  requestAnimationFrame(() => {
    const query = find();
    query?.scrollIntoView({ block: "center" });
    query?.focus({ preventScroll: true });
  });
}

function Answer({ turn, open }: { turn: Turn; open: (source: Source) => void }) {
  const s = t.value.chat;
  if (turn.answer === "") return turn.state === "running" ? <Skeleton lines={2} /> : null;
  return (
    <div class="answer" data-abstained={turn.document?.abstained ?? false} lang={turn.document?.language}>
      <span class="unseen">{s.answer} </span>
      {pieces(turn.answer, turn.sources).map((piece, index) =>
        "text" in piece ? (
          piece.text
        ) : (
          <button key={index} type="button" class="cite" data-store={piece.source.store} aria-label={s.openSource(piece.source.n, piece.source.document)} onClick={() => open(piece.source)}>
            {piece.source.n}
          </button>
        ),
      )}
    </div>
  );
}

/** What is being done at this moment, by the spans that run. */
function Now({ spans, writing }: { spans: Span[]; writing: boolean }) {
  const now = t.value.chat.now;
  const names: Record<string, string> = now.steps;
  const current = spans.filter((span) => span.ms === null && names[span.name]).at(-1);
  return <p class="now">{writing ? now.writing : current ? names[current.name] : now.start}</p>;
}

function Sources({ turn, open }: { turn: Turn; open: (source: Source) => void }) {
  const s = t.value.chat;
  if (turn.sources.length === 0) return null;
  return (
    <ol class="sources" aria-label={s.sources}>
      {turn.sources.map((source) => (
        <li key={source.n}>
          <button type="button" onClick={() => open(source)}>
            <span class="source-number" aria-hidden="true">{source.n}</span>
            <StoreMark store={source.store} />
            <span class="source-name">{source.document}</span>
            <span class="source-place">{source.location}</span>
          </button>
        </li>
      ))}
    </ol>
  );
}

function Foot({ turn, showPanel }: { turn: Turn; showPanel: () => void }) {
  const s = t.value.chat;
  const document = turn.document;
  return (
    <footer class="turn-foot">
      <Button kind="quiet" icon="flow" class="button quiet show-panel" onClick={showPanel}>{s.showPanel}</Button>
      {document && (
        <>
          {document.cache.hit && <span class="tag">{s.fromCache}</span>}
          {document.routes.map((store) => <StoreChip key={store} store={store} />)}
          <span class="quiet-text">{duration(document.timings.total_ms, locale.value)}</span>
          <span class="push" />
          <CopyButton label={s.copy} text={() => turn.answer} />
          <Button
            kind="quiet"
            icon="download"
            title={s.shareTitle}
            onClick={() => saveFile(`polyrag-${document.trace_id}.json`, JSON.stringify(document, null, 2))}
          >
            {s.share}
          </Button>
        </>
      )}
    </footer>
  );
}
