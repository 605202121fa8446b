import type { Cell } from "../api/types";

/** Numbers, times and sizes as people read them in `language`. */

export function score(value: number, language: string): string {
  return value.toLocaleString(language, { minimumFractionDigits: 3, maximumFractionDigits: 3 });
}

export function fine(value: number, language: string): string {
  return value.toLocaleString(language, { minimumFractionDigits: 4, maximumFractionDigits: 4 });
}

/** A duration with about three digits: `0.03 ms`, `8.8 ms`, `412 ms`, `31.9 s`, `2 min 5 s`. */
export function duration(ms: number, language: string): string {
  const number = (value: number, digits: number) =>
    value.toLocaleString(language, { minimumFractionDigits: digits, maximumFractionDigits: digits });
  if (ms < 1) return `${number(ms, 2)} ms`;
  if (ms < 100) return `${number(ms, 1)} ms`;
  if (ms < 1000) return `${number(ms, 0)} ms`;
  if (ms < 10_000) return `${number(ms / 1000, 2)} s`;
  if (ms < 120_000) return `${number(ms / 1000, 1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** A mark of an axis of time: a round number, without zeros after the point. */
export function tick(ms: number, language: string): string {
  if (ms === 0) return "0";
  return ms < 1000 ? `${ms.toLocaleString(language)} ms` : `${(ms / 1000).toLocaleString(language)} s`;
}

export function bytes(value: number, language: string): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let at = 0;
  let left = value;
  while (left >= 1000 && at < units.length - 1) {
    left /= 1000;
    at += 1;
  }
  return `${left.toLocaleString(language, { maximumFractionDigits: left < 10 && at > 0 ? 1 : 0 })} ${units[at]}`;
}

export function percent(share: number, language: string): string {
  return share.toLocaleString(language, { style: "percent", maximumFractionDigits: share > 0.99 && share < 1 ? 1 : 0 });
}

/** Places after the point that a column of numbers needs, at most four. */
export function decimals(values: Cell[]): number {
  const places = (value: Cell) => (typeof value === "number" ? (/\.(\d+)$/.exec(String(value))?.[1]?.length ?? 0) : 0);
  const most = Math.min(4, Math.max(0, ...values.map(places)));
  return most === 1 && values.some((value) => typeof value === "number" && Math.abs(value) >= 1000) ? 2 : most;
}

/** A cell with `places` after the point, so that a column stands in line. */
export function cell(value: Cell, language: string, places = decimals([value])): string {
  if (value === null) return "—";
  if (typeof value !== "number") return String(value);
  // A whole number may be a year or a code: only large ones are grouped.
  const plain = Number.isInteger(value) && Math.abs(value) < 10_000;
  return value.toLocaleString(language, { useGrouping: !plain, minimumFractionDigits: places, maximumFractionDigits: places });
}

export function moment(seconds: number, language: string, now = Date.now()): string {
  const date = new Date(seconds * 1000);
  const today = new Date(now).toDateString() === date.toDateString();
  return date.toLocaleString(language, today ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" });
}

/** The folder a path is in, or as much of its end as is short. */
export function folder(path: string): string {
  return shortPath(path.split("/").slice(0, -1).join("/") || "/");
}

/** The end of a path: the folder it is in and its name. */
export function shortPath(path: string): string {
  const pieces = path.split("/").filter(Boolean);
  return pieces.length <= 2 ? path : `…/${pieces.slice(-2).join("/")}`;
}
