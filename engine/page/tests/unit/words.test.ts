import { describe, expect, it } from "vitest";
import { en } from "../../src/i18n/en";
import { guardWords } from "../../src/i18n/guard";
import { pt } from "../../src/i18n/pt";
import { bytes, duration, folder, shortPath } from "../../src/model/format";

/** Every text of a table with its path; functions are called with numbers, else with words. */
function texts(table: object, path = ""): [string, string][] {
  return Object.entries(table).flatMap(([name, value]) => {
    const at = `${path}.${name}`;
    if (typeof value === "string") return [[at, value] as [string, string]];
    if (typeof value === "function") return [[at, String((value as (...a: unknown[]) => string)(2, 3, 4))] as [string, string]];
    return texts(value as object, at);
  });
}

describe("the two languages", () => {
  it("have the same texts, none of them empty", () => {
    const [english, portuguese] = [texts(en), texts(pt)];
    expect(portuguese.map(([path]) => path)).toEqual(english.map(([path]) => path));
    const empty = portuguese.concat(english).filter(([path, text]) => text === "" && !path.endsWith("cutOff.detail"));
    expect(empty).toEqual([]);
  });

  it("differ where they are words", () => {
    const english = new Map(texts(en));
    const same = texts(pt).filter(([path, text]) => english.get(path) === text && /[a-z]{4}/.test(text)).map(([path]) => path);
    expect(same.length, same.join(", ")).toBeLessThan(12);
  });
});

describe("guardWords", () => {
  it("puts the guard's reasons into words with both sides", () => {
    expect(guardWords("names differ: sul/norte; numbers differ: -/2025", pt.guard)).toEqual([
      { text: "nomes diferentes", sides: ["sul", "norte"] },
      { text: "números diferentes", sides: ["—", "2025"] },
    ]);
    expect(guardWords("number of questions differs: 1/2", pt.guard)[0]?.text).toBe(pt.guard.kinds["number of questions"]);
    expect(guardWords("score 0.712 under 0.800", en.guard)).toEqual([{ text: "similarity 0.712 under 0.800", sides: null }]);
    expect(guardWords("tenses differ", pt.guard)[0]?.text).toBe("tempos verbais diferentes");
  });

  it("shows what it does not know as written", () => {
    expect(guardWords("moods differ: a/b", pt.guard)).toEqual([{ text: "moods differ: a/b", sides: null }]);
  });
});

describe("formats", () => {
  it("give a duration about three digits", () => {
    expect([0.028, 8.84, 412.3, 2938, 31_860, 125_000].map((ms) => duration(ms, "en-GB"))).toEqual(["0.03 ms", "8.8 ms", "412 ms", "2.94 s", "31.9 s", "2 min 5 s"]);
  });

  it("give sizes and paths their short forms", () => {
    expect([bytes(575, "pt-BR"), bytes(2405, "pt-BR"), bytes(1_402_000_000, "pt-BR")]).toEqual(["575 B", "2,4 KB", "1,4 GB"]);
    expect([shortPath("/a/b/c/d.md"), shortPath("d.md"), folder("/a/b/c/d.md"), folder("/d.md")]).toEqual(["…/c/d.md", "d.md", "…/b/c", "/"]);
  });
});
