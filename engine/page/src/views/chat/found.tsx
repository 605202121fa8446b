import type { Part, Retrieved } from "../../api/types";
import { locale, t } from "../../i18n";
import { score } from "../../model/format";
import { pathPicture } from "../../model/graph";
import { isDecided } from "../../model/turn";
import { Skeleton } from "../../ui/basic";
import { GraphPath } from "../../ui/graph-path";
import { StoreMark } from "../../ui/icons";
import { excerpt } from "../../ui/plain-text";
import { PartTitle } from "./decision";
import { InstructionNote } from "./passage";
import { Query } from "./query";

interface FoundProps {
  part: Part;
  index: number;
  of: number;
  level?: 3 | 4;
  running: boolean;
  openPassage: (chunk: string) => void;
}

/** What a part's store gave: rows and their query, the way through the graph, passages. */
export function Found({ part, index, of, running, openPassage, level = 4 }: FoundProps) {
  const s = t.value.found;
  const picture = pathPicture(part.retrieved);
  const Heading = `h${level}` as const;
  const nothing = part.sql === null && part.retrieved.length === 0;
  return (
    <div class="card">
      <PartTitle part={part} index={index} of={of} level={level} />
      {nothing && (running || !isDecided(part) ? <Skeleton lines={3} /> : <p class="quiet-text">{s.nothing}</p>)}
      {part.sql !== null && <Query part={part} index={index} running={running} level={level} />}
      {picture && (
        <>
          <Heading>{s.path}</Heading>
          <GraphPath picture={picture} open={openPassage} />
        </>
      )}
      {part.retrieved.length > 0 && (
        <>
          <Heading>{s.passages(part.retrieved.length)}</Heading>
          <ol class="passages">
            {part.retrieved.map((passage) => <PassageItem key={passage.chunk_id} passage={passage} open={openPassage} />)}
          </ol>
        </>
      )}
    </div>
  );
}

function PassageItem({ passage, open }: { passage: Retrieved; open: (chunk: string) => void }) {
  return (
    <li>
      <button type="button" data-store={passage.store} onClick={() => open(passage.chunk_id)}>
        <span class="passage-head">
          <StoreMark store={passage.store} />
          <b>{passage.document}</b>
          <span class="passage-where">{passage.location}</span>
          <span class="number">{score(passage.score, locale.value)}</span>
        </span>
        <span class="mini-bar" aria-hidden="true"><i style={{ width: `${Math.min(1, Math.max(0, passage.score)) * 100}%` }} /></span>
        <span class="snippet">{excerpt(passage.text)}</span>
      </button>
      {(passage.flags ?? []).includes("instruction") && <InstructionNote />}
    </li>
  );
}
