import { useSignal } from "@preact/signals";
import type { Chunk, ChunkList } from "../../api/corpus";
import { type Decision, STORES } from "../../api/types";
import { locale, t } from "../../i18n";
import { fine } from "../../model/format";
import { Button, ProblemNote, Skeleton, StoreChip, storeName } from "../../ui/basic";
import { StoreMark } from "../../ui/icons";
import { useLoad } from "../../ui/load";
import { PlainText } from "../../ui/plain-text";
import { InstructionNote } from "../chat/passage";

const PAGE = 20;

/** A document's chunks, a page at a time, each with the numbers that placed it. */
export function Chunks({ id }: { id: number }) {
  const s = t.value.document;
  const offset = useSignal(0);
  const found = useLoad<ChunkList>(`/api/documents/${id}/chunks?offset=${offset.value}&limit=${PAGE}`);
  const { data } = found;
  if (data?.total === 0) return null;
  return (
    <section>
      <h2>{data ? s.chunks(data.total) : s.chunksTitle}</h2>
      {found.problem && <ProblemNote problem={found.problem} retry={found.reload} />}
      {!data && !found.problem && <Skeleton lines={6} />}
      <ol class="chunks">{data?.chunks.map((chunk) => <ChunkCard key={chunk.id} chunk={chunk} />)}</ol>
      {data && data.total > PAGE && (
        <div class="pages">
          <Button icon="left" disabled={offset.value === 0} onClick={() => (offset.value -= PAGE)}>{s.before}</Button>
          <span class="quiet-text">{s.range(offset.value + 1, Math.min(offset.value + PAGE, data.total), data.total)}</span>
          <Button disabled={offset.value + PAGE >= data.total} onClick={() => (offset.value += PAGE)}>{s.after}</Button>
        </div>
      )}
    </section>
  );
}

function ChunkCard({ chunk }: { chunk: Chunk }) {
  const s = t.value.document;
  const decision = decisionOf(chunk);
  return (
    <li class="chunk">
      <header>
        {chunk.stores.map((store) => <StoreChip key={store} store={store} />)}
        {chunk.stores.length > 1 && <span class="tag">{s.borderline}</span>}
        <span class="quiet-text">{chunk.location}</span>
      </header>
      {(chunk.flags ?? []).includes("instruction") && <InstructionNote />}
      <p class="chunk-text"><PlainText text={chunk.text} /></p>
      {decision && <PlacementNumbers decision={decision} />}
    </li>
  );
}

function PlacementNumbers({ decision }: { decision: Decision }) {
  const s = t.value.document;
  const l = locale.value;
  const scored = STORES.filter((store) => decision.scores[store] !== undefined);
  if (scored.length === 0) return <p class="chunk-numbers quiet-text">{s.byKind}</p>;
  return (
    <p class="chunk-numbers">
      {scored.map((store) => (
        <span key={store}><StoreMark store={store} /><span class="unseen">{storeName(store)}</span><span class="number">{fine(decision.scores[store]!, l)}</span></span>
      ))}
      <span class="quiet-text">{t.value.decision.margin} <span class="number">{fine(decision.margin, l)}</span></span>
    </p>
  );
}

/** A chunk's decision is stored with its placement around it, or alone. */
function decisionOf(chunk: Chunk): Decision | null {
  const stored = chunk.decision;
  if (!stored) return null;
  return "scores" in stored ? stored : (stored.decision ?? null);
}
