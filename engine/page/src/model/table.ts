import type { Cell } from "../api/types";

/** Sorting and drawing of a query's rows. */

export interface Order {
  column: number;
  descending: boolean;
}

/** Sorts by one column; numbers before text, empty cells last, ties in the query's own order. */
export function sortRows(rows: Cell[][], order: Order | null, language: string): Cell[][] {
  if (!order) return rows;
  const text = new Intl.Collator(language, { numeric: true, sensitivity: "base" });
  const sign = order.descending ? -1 : 1;
  return [...rows].sort((x, y) => {
    const [a, b] = [x[order.column] ?? null, y[order.column] ?? null];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    if (typeof a === "number" && typeof b === "number") return sign * (a - b);
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
    return sign * text.compare(String(a), String(b));
  });
}

/** What can be drawn of the rows. */
export type Chart =
  | { kind: "value"; label: string; value: number }
  | { kind: "bars"; label: string; items: { name: string; value: number }[] }
  | { kind: "line"; label: string; items: { name: string; value: number }[] };

const MOST_BARS = 12;
const MOST_POINTS = 120;

/**
 * Says how the rows can be drawn, if at all: one number as a figure, a name and a number as bars, a
 * rising date and a number as a line. Anything else is a table only.
 */
export function chartOf(columns: string[], rows: Cell[][]): Chart | null {
  const numeric = columns.map((_, at) => rows.length > 0 && rows.every((row) => typeof row[at] === "number"));
  if (columns.length === 1 && rows.length === 1 && numeric[0]) {
    return { kind: "value", label: columns[0]!, value: rows[0]![0] as number };
  }
  const name = numeric.indexOf(false);
  const value = numeric.indexOf(true);
  if (columns.length !== 2 || name < 0 || value < 0 || rows.length < 2) return null;
  if (rows.some((row) => row[name] === null)) return null;
  const items = rows.map((row) => ({ name: String(row[name]), value: row[value] as number }));
  const label = columns[value]!;
  if (isTime(items.map((item) => item.name))) {
    return items.length >= 3 && items.length <= MOST_POINTS ? { kind: "line", label, items } : null;
  }
  return items.length <= MOST_BARS ? { kind: "bars", label, items } : null;
}

/** ISO dates, months or years, each after the one before. */
function isTime(names: string[]): boolean {
  return names.every((name) => /^\d{4}(-\d{2}(-\d{2})?)?$/.test(name)) && names.every((name, at) => at === 0 || name > names[at - 1]!);
}
