import type { Strings } from "./en";

/** One reason of the cache's guard in the person's language, with the two sides that differ. */
export interface GuardReason {
  text: string;
  sides: [string, string] | null;
}

/**
 * Reads the guard's line, as `decide/guard/reason.rs` writes it: reasons joined by `; `, each
 * `names differ: sul/norte`, `score 0.71 under 0.80` or a sentence. What is not known stays as written.
 */
export function guardWords(line: string, words: Strings["guard"]): GuardReason[] {
  return line.split("; ").filter(Boolean).map((reason) => oneReason(reason, words));
}

function oneReason(reason: string, words: Strings["guard"]): GuardReason {
  const kinds: Record<string, string> = words.kinds;
  const differ = /^(.+?) (?:differ|differs): (.*)$/.exec(reason);
  if (differ) {
    const [, kind = "", sides = ""] = differ;
    const cut = sides.indexOf("/");
    const named = kinds[kind];
    if (named && cut >= 0) return { text: named, sides: [shown(sides.slice(0, cut)), shown(sides.slice(cut + 1))] };
  }
  const under = /^score (\S+) under (\S+)$/.exec(reason);
  if (under) return { text: words.under(under[1] ?? "", under[2] ?? ""), sides: null };
  const whole: Record<string, string> = words.whole;
  return { text: whole[reason] ?? reason, sides: null };
}

function shown(side: string): string {
  return side === "-" || side === "" ? "—" : side;
}
