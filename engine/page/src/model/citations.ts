import type { Part, Source } from "../api/types";

/** A piece of an answer: text, or the number of a source. */
export type Piece = { text: string } | { source: Source };

/** Cuts an answer at its `[n]`; a number without a source stays text. */
export function pieces(answer: string, sources: Source[]): Piece[] {
  const found: Piece[] = [];
  let rest = 0;
  for (const match of answer.matchAll(/\[(\d{1,3})\]/g)) {
    const source = sources.find((one) => one.n === Number(match[1]));
    if (!source) continue;
    if (match.index > rest) found.push({ text: answer.slice(rest, match.index) });
    found.push({ source });
    rest = match.index + match[0].length;
  }
  if (rest < answer.length) found.push({ text: answer.slice(rest) });
  return found;
}

/** Finds a source's passage: by its id, else by document and place; `null` for the rows of a query. */
export function chunkOf(source: Source, parts: Part[]): string | null {
  if (source.chunk_id) return source.chunk_id;
  if (source.store === "relational") return null;
  const same = parts
    .flatMap((part) => part.retrieved)
    .find((passage) => passage.document === source.document && passage.location === source.location);
  return same?.chunk_id ?? null;
}

/** The part of the message that a query belongs to; `-1` when none does. */
export function partOfQuery(source: Source, parts: Part[]): number {
  return parts.findIndex((part) => part.sql !== null && (source.location.startsWith(part.sql) || part.sql.startsWith(source.location)));
}
