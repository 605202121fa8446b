import { locale, t } from "../../i18n";
import { guardWords } from "../../i18n/guard";
import { score } from "../../model/format";
import type { Turn } from "../../model/turn";
import { Button } from "../../ui/basic";
import { forgetCached } from "./state";

/** The cache's verdict: how near the nearest question was, and what the guard said to it. */
export function CacheLine({ turn }: { turn: Turn }) {
  const s = t.value.cache;
  const { cache } = turn;
  if (!cache || (cache.score === null && !cache.hit)) {
    const over = turn.state !== "running" || turn.parts.length > 0;
    return <section class="cache-line" data-hit={false}><h3>{s.title}</h3><p class="quiet-text">{over ? s.none : s.looking}</p></section>;
  }
  const { hit } = cache;
  return (
    <section class="cache-line" data-hit={hit}>
      <h3>{s.title}</h3>
      <p class="verdict">
        <strong>{hit ? s.hit : s.miss}</strong>
        {cache.score !== null && <span class="number">{s.similarity} {score(cache.score, locale.value)}</span>}
      </p>
      {cache.question && <p class="cached-question">“{cache.question}”</p>}
      {!hit && cache.guard && (
        <ul class="reasons" aria-label={s.guard}>
          {guardWords(cache.guard, t.value.guard).map((reason) => (
            <li key={reason.text}>
              {reason.text}
              {reason.sides && <span class="sides"><code>{reason.sides[0]}</code><span aria-hidden="true">≠</span><code>{reason.sides[1]}</code></span>}
            </li>
          ))}
        </ul>
      )}
      {hit && turn.state === "done" && cache.entry != null && (
        <Button kind="quiet" icon="trash" onClick={() => void forgetCached(turn)}>{s.wrong}</Button>
      )}
    </section>
  );
}
