import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { call, problemOf } from "../../api/http";
import type { Problem, Retrieved } from "../../api/types";
import { locale, t } from "../../i18n";
import { score } from "../../model/format";
import { ProblemNote, Segments, Skeleton } from "../../ui/basic";
import { StoreMark } from "../../ui/icons";
import { excerpt } from "../../ui/plain-text";

type Ranking = "fts" | "vector" | "graph";

/** The passages of all files for the words typed above, by one ranking alone. */
export function ContentSearch({ query, open }: { query: string; open: (chunk: string) => void }) {
  const s = t.value.corpus;
  const ranking = useSignal<Ranking>("fts");
  const found = useSignal<Retrieved[] | null>(null);
  const problem = useSignal<Problem | null>(null);
  const words = query.trim();
  useEffect(() => {
    found.value = null;
    problem.value = null;
    if (words.length < 3) return;
    const controller = new AbortController();
    const timer = setTimeout(() => {
      call<unknown>("POST", "/api/search", { question: words, store: ranking.value, k: 8 }, controller.signal)
        .then((answer) => (found.value = passagesOf(answer)))
        .catch((error: unknown) => controller.signal.aborted || (problem.value = problemOf(error)));
    }, 250);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [words, ranking.value]);
  if (words.length < 3) return null;
  return (
    <section class="content-search" aria-label={s.inside}>
      <header>
        <h2>{s.inside}</h2>
        <Segments
          label={s.ranking}
          value={ranking.value}
          choose={(next) => (ranking.value = next)}
          options={[{ value: "fts", text: s.rankings.fts }, { value: "vector", text: s.rankings.vector }, { value: "graph", text: s.rankings.graph }]}
        />
      </header>
      {problem.value && <ProblemNote problem={problem.value} />}
      {!found.value && !problem.value && <Skeleton lines={4} />}
      {found.value?.length === 0 && <p class="quiet-text">{s.noPassage(words)}</p>}
      <ol class="passages">
        {found.value?.map((passage) => (
          <li key={passage.chunk_id}>
            <button type="button" data-store={passage.store} onClick={() => open(passage.chunk_id)}>
              <span class="passage-head">
                <StoreMark store={passage.store} />
                <b>{passage.document}</b>
                <span class="passage-where">{passage.location}</span>
                <span class="number">{score(passage.score, locale.value)}</span>
              </span>
              <span class="snippet">{excerpt(passage.text)}</span>
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** `search --json` is a list, or an object that holds it. */
function passagesOf(answer: unknown): Retrieved[] {
  if (Array.isArray(answer)) return answer as Retrieved[];
  return (answer as { retrieved?: Retrieved[] }).retrieved ?? [];
}
