import { describe, expect, it } from "vitest";
import type { PathStep, Retrieved, Source } from "../../src/api/types";
import { chunkOf, pieces } from "../../src/model/citations";
import { pathPicture } from "../../src/model/graph";

const step = (from: string, to: string, mass: number, kind: PathStep["kind"] = "relation"): PathStep => ({ from, to, kind, mass });
const found = (rank: number, chunk_id: string, path: PathStep[]): Retrieved => ({ rank, store: "graph", document: "d.md", location: `place ${rank}`, chunk_id, score: 1, text: "", path });

describe("pathPicture", () => {
  const picture = pathPicture([
    found(1, "c1", [step("Atlas", "Norte", 0.4), step("Norte", "PC-09", 0.3), step("PC-09", "chunk:1", 0.2, "context")]),
    found(2, "c2", [step("Atlas", "chunk:2", 0.1, "context")]),
  ])!;

  it("draws a shared beginning once", () => {
    expect(picture.nodes.map((node) => [node.id, node.depth])).toEqual([["Atlas", 0], ["Norte", 1], ["PC-09", 2], ["chunk:1", 3], ["chunk:2", 1]]);
    expect(picture.edges).toHaveLength(4);
  });

  it("gives every node a line of its own and names passages by their document", () => {
    expect(picture.nodes.map((node) => node.row)).toEqual([0, 1, 2, 3, 4]);
    expect(picture.nodes[3]).toMatchObject({ label: "d.md", detail: "place 1" });
  });

  it("weighs edges by the heaviest", () => {
    expect(Math.max(...picture.edges.map((edge) => edge.weight))).toBe(1);
    expect(picture.edges.find((edge) => edge.to.id === "chunk:2")?.weight).toBeCloseTo(0.25, 10);
  });

  it("ends on a circle and draws nothing of nothing", () => {
    expect(pathPicture([found(1, "c", [step("a", "b", 1), step("b", "a", 1)])])?.nodes).toHaveLength(2);
    expect(pathPicture([found(1, "c", [])])).toBeNull();
    expect(pathPicture([])).toBeNull();
  });
});

describe("pieces", () => {
  const sources: Source[] = [{ n: 1, document: "a", location: "l", store: "vector" }, { n: 2, document: "b", location: "SELECT 1", store: "relational" }];

  it("cuts at the numbers of sources only", () => {
    const cut = pieces("Um [1], dois [2][9] e [x].", sources);
    expect(cut.map((piece) => ("text" in piece ? piece.text : piece.source.n))).toEqual(["Um ", 1, ", dois ", 2, "[9] e [x]."]);
  });

  it("loses no text", () => {
    for (const answer of ["", "[1]", "a", "[1][2]", "[[1]]"]) {
      expect(pieces(answer, sources).map((piece) => ("text" in piece ? piece.text : `[${piece.source.n}]`)).join("")).toBe(answer);
    }
  });

  it("finds a source's passage by document and place, and none for rows", () => {
    const part = { retrieved: [{ ...found(1, "c1", []), document: "a", location: "l" }] } as never;
    expect(chunkOf(sources[0]!, [part])).toBe("c1");
    expect(chunkOf({ ...sources[0]!, chunk_id: "c7" }, [part])).toBe("c7");
    expect(chunkOf(sources[1]!, [part])).toBeNull();
  });
});
