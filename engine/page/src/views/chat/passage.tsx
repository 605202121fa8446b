import type { Chunk, ChunkInContext } from "../../api/corpus";
import { t } from "../../i18n";
import { Link, ProblemNote, Skeleton } from "../../ui/basic";
import { Dialog } from "../../ui/dialog";
import { Icon } from "../../ui/icons";
import { useLoad } from "../../ui/load";
import { PlainText } from "../../ui/plain-text";

/** A passage in its document, with what stands before and after it. */
export function Passage({ id, close }: { id: string; close: () => void }) {
  const s = t.value.passage;
  const found = useLoad<ChunkInContext>(`/api/chunks/${encodeURIComponent(id)}?around=1`);
  const { data } = found;
  return (
    <Dialog title={data?.document.name ?? s.title} close={close}>
      {found.problem && <ProblemNote problem={found.problem} retry={found.reload} />}
      {!data && !found.problem && <Skeleton lines={8} />}
      {data && (
        <>
          <p class="passage-place">
            {!data.chunk.headings.includes(data.chunk.location) && <span>{data.chunk.location}</span>}
            {data.chunk.headings.length > 0 && <span>{data.chunk.headings.join(" › ")}</span>}
          </p>
          {(data.chunk.flags ?? []).includes("instruction") && <InstructionNote />}
          <div class="passage">
            {data.before.map((chunk) => <Around key={chunk.id} chunk={chunk} label={s.before} />)}
            <mark><PlainText text={data.chunk.text} /></mark>
            {data.after.map((chunk) => <Around key={chunk.id} chunk={chunk} label={s.after} />)}
          </div>
          <Link to="corpus" id={data.document.id} class="button">{s.openDocument}</Link>
        </>
      )}
    </Dialog>
  );
}

function Around({ chunk, label }: { chunk: Chunk; label: string }) {
  return (
    <div class="around">
      <span class="unseen">{label} </span>
      <PlainText text={chunk.text} />
    </div>
  );
}

/** The text of a file speaks to its reader; it is shown, and never followed. */
export function InstructionNote() {
  return (
    <p class="note">
      <Icon name="warning" />
      {t.value.passage.instruction}
    </p>
  );
}
