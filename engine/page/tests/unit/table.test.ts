import { describe, expect, it } from "vitest";
import { cell, decimals } from "../../src/model/format";
import { sqlTokens } from "../../src/model/sqltext";
import { chartOf, sortRows } from "../../src/model/table";

describe("sortRows", () => {
  it("sorts numbers as numbers and leaves empty cells last, both ways", () => {
    const rows = [[9], [null], [10], [-1]];
    expect(sortRows(rows, { column: 0, descending: false }, "pt").flat()).toEqual([-1, 9, 10, null]);
    expect(sortRows(rows, { column: 0, descending: true }, "pt").flat()).toEqual([10, 9, -1, null]);
  });

  it("sorts text as the language does", () => {
    expect(sortRows([["Zênite"], ["Órion"], ["Atlas"], ["item 10"], ["item 9"]], { column: 0, descending: false }, "pt").flat()).toEqual(["Atlas", "item 9", "item 10", "Órion", "Zênite"]);
  });

  it("keeps the query's order without a choice, and never changes the rows it was given", () => {
    const rows = [[2], [1]];
    expect(sortRows(rows, null, "pt")).toBe(rows);
    sortRows(rows, { column: 0, descending: false }, "pt");
    expect(rows).toEqual([[2], [1]]);
  });
});

describe("chartOf", () => {
  it("shows one number as a figure", () => {
    expect(chartOf(["total"], [[3.5]])).toEqual({ kind: "value", label: "total", value: 3.5 });
  });

  it("draws names with numbers as bars, whatever column comes first", () => {
    expect(chartOf(["n", "regiao"], [[1, "Sul"], [2, "Norte"]])).toMatchObject({ kind: "bars", label: "n", items: [{ name: "Sul", value: 1 }, { name: "Norte", value: 2 }] });
  });

  it("draws rising dates as a line, and does not take other names for dates", () => {
    expect(chartOf(["mes", "n"], [["2026-01", 1], ["2026-02", 2], ["2026-03", 1]])?.kind).toBe("line");
    expect(chartOf(["mes", "n"], [["2026-02", 1], ["2026-01", 2], ["2026-03", 1]])?.kind).toBe("bars");
  });

  it("draws nothing where a drawing would lie", () => {
    expect(chartOf([], [])).toBeNull();
    expect(chartOf(["a", "b"], [["x", null], ["y", 2]])).toBeNull();
    expect(chartOf(["a", "b"], [[null, 1], ["y", 2]])).toBeNull();
    expect(chartOf(["a", "b", "c"], [["x", 1, 2], ["y", 2, 3]])).toBeNull();
    expect(chartOf(["a", "b"], Array.from({ length: 30 }, (_, at) => [`n${at}`, at]))).toBeNull();
  });
});

describe("cell", () => {
  it("keeps years whole, groups large numbers and shows what is empty", () => {
    expect([cell(2026, "pt-BR"), cell(2129224.4, "pt-BR"), cell(null, "pt-BR"), cell("0007", "pt-BR")]).toEqual(["2026", "2.129.224,40", "—", "0007"]);
  });

  it("gives a column one number of places", () => {
    const column = [4012887.1, 1874310.25, 12];
    expect(column.map((value) => cell(value, "en-GB", decimals(column)))).toEqual(["4,012,887.10", "1,874,310.25", "12.00"]);
  });
});

describe("sqlTokens", () => {
  it("gives the query back when joined", () => {
    for (const sql of ["SELECT SUM(receita) FROM t WHERE mes = 'março' AND x >= 1.5", "select \"a b\", 'it''s' from t -- 'open", "'", "  ", "SELECT é FROM [x]; 'a"]) {
      expect(sqlTokens(sql).map((token) => token.text).join("")).toBe(sql);
    }
  });

  it("knows words from strings", () => {
    const kinds = sqlTokens("SELECT a FROM t WHERE b = 'from'").filter((token) => token.kind !== "plain");
    expect(kinds.map((token) => token.text)).toEqual(["SELECT", "FROM", "WHERE", "'from'"]);
  });
});
