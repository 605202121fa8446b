import type { PathStep, Retrieved } from "../api/types";

/** The ways from the seeds to the passages found, as one picture: a node a line, lines joined by curves. */

export interface PathNode {
  id: string;
  /** Entity name, or the passage's document and place. */
  label: string;
  detail: string;
  passage: Retrieved | null;
  row: number;
  depth: number;
}

export interface PathEdge {
  from: PathNode;
  to: PathNode;
  kind: PathStep["kind"];
  /** The fact's words, where a fact joins the two. */
  fact: string | null;
  similarity: number | null;
  mass: number;
  /** Mass beside that of the heaviest edge, in `(0, 1]`. */
  weight: number;
}

export interface PathPicture {
  nodes: PathNode[];
  edges: PathEdge[];
  depth: number;
}

/** Merges the passages' paths; shared beginnings are drawn once. `null` when no passage has a path. */
export function pathPicture(retrieved: Retrieved[]): PathPicture | null {
  const nodes = new Map<string, PathNode>();
  const edges = new Map<string, PathEdge>();
  for (const passage of retrieved) {
    const path = passage.path ?? [];
    path.forEach((step, at) => {
      const last = at === path.length - 1;
      const from = node(nodes, step.from, null, at);
      const to = node(nodes, step.to, last ? passage : null, from.depth + 1);
      const key = `${from.id}\n${to.id}`;
      if (!edges.has(key)) edges.set(key, edge(from, to, step));
    });
  }
  if (edges.size === 0) return null;
  const list = [...edges.values()];
  const heaviest = Math.max(...list.map((one) => one.mass));
  for (const one of list) one.weight = heaviest > 0 ? one.mass / heaviest : 1;
  const ordered = inRows([...nodes.values()], list);
  return { nodes: ordered, edges: list, depth: Math.max(...ordered.map((one) => one.depth)) };
}

function node(nodes: Map<string, PathNode>, id: string, passage: Retrieved | null, depth: number): PathNode {
  const known = nodes.get(id);
  if (known) {
    known.passage ??= passage;
    if (passage) Object.assign(known, words(id, passage));
    return known;
  }
  const made = { id, ...words(id, passage), passage, row: 0, depth };
  nodes.set(id, made);
  return made;
}

function words(id: string, passage: Retrieved | null): { label: string; detail: string } {
  return passage ? { label: passage.document, detail: passage.location } : { label: id, detail: "" };
}

function edge(from: PathNode, to: PathNode, step: PathStep): PathEdge {
  const { kind, mass } = step;
  return { from, to, kind, fact: step.fact ?? null, similarity: step.similarity ?? null, mass, weight: 1 };
}

/** Gives every node its line: what a node leads to stands below it. */
function inRows(nodes: PathNode[], edges: PathEdge[]): PathNode[] {
  const ordered: PathNode[] = [];
  const placed = new Set<PathNode>();
  const place = (one: PathNode, depth: number) => {
    if (placed.has(one)) return;
    placed.add(one);
    one.depth = depth;
    one.row = ordered.push(one) - 1;
    for (const next of edges.filter((found) => found.from === one)) place(next.to, depth + 1);
  };
  const reached = new Set(edges.map((one) => one.to));
  nodes.filter((one) => !reached.has(one)).forEach((one) => place(one, 0));
  nodes.forEach((one) => place(one, 0));
  return ordered;
}
