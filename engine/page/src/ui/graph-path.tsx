import { t } from "../i18n";
import { score } from "../model/format";
import { locale } from "../i18n";
import type { PathEdge, PathNode, PathPicture } from "../model/graph";

const ROW = 52;
const STEP = 26;
const LEFT = 12;
const TOP = 18;

/** The way from the question's names to the passages: a line a node, joined by curves as thick as their mass. */
export function GraphPath({ picture, open }: { picture: PathPicture; open: (chunk: string) => void }) {
  const height = picture.nodes.length * ROW;
  const gutter = LEFT * 2 + picture.depth * STEP;
  return (
    <div class="graph-path" style={{ minHeight: `${height}px` }}>
      <svg width={gutter} height={height} aria-hidden="true">
        {picture.edges.map((edge, at) => <Curve key={at} edge={edge} />)}
        {picture.nodes.map((node) => <Dot key={node.id} node={node} />)}
      </svg>
      <ol>
        {picture.nodes.map((node) => (
          <li key={node.id} style={{ height: `${ROW}px`, paddingLeft: `${x(node) + 16}px` }}>
            <Label node={node} arrival={picture.edges.find((edge) => edge.to === node) ?? null} open={open} />
          </li>
        ))}
      </ol>
    </div>
  );
}

const x = (node: PathNode) => LEFT + node.depth * STEP;
const y = (node: PathNode) => TOP + node.row * ROW;

function Curve({ edge }: { edge: PathEdge }) {
  const [x1, y1, x2, y2] = [x(edge.from), y(edge.from), x(edge.to), y(edge.to)];
  const bend = Math.min(14, Math.abs(y2 - y1) / 2, Math.max(1, Math.abs(x2 - x1)));
  const path = x2 > x1
    ? `M${x1} ${y1}V${y2 - bend}Q${x1} ${y2} ${x1 + bend} ${y2}H${x2}`
    : `M${x1} ${y1}C${x1 + 40} ${(y1 + y2) / 2} ${x1 + 40} ${(y1 + y2) / 2} ${x2} ${y2}`;
  return <path class="graph-edge" data-kind={edge.kind} d={path} stroke-width={1.5 + 3 * edge.weight} />;
}

function Dot({ node }: { node: PathNode }) {
  return node.passage
    ? <rect class="graph-passage" x={x(node) - 6} y={y(node) - 6} width="12" height="12" rx="2.5" />
    : <circle class="graph-entity" cx={x(node)} cy={y(node)} r="5.5" />;
}

function Label({ node, arrival, open }: { node: PathNode; arrival: PathEdge | null; open: (chunk: string) => void }) {
  const s = t.value.found;
  const { passage } = node;
  return (
    <>
      {passage ? (
        <button type="button" class="graph-label" onClick={() => open(passage.chunk_id)}>
          <span class="rank">{passage.rank}</span> {node.label} <span class="quiet-text">{node.detail}</span>
        </button>
      ) : (
        <span class="graph-label">{node.label}</span>
      )}
      <span class="graph-via">{arrival ? via(arrival) : s.seed}</span>
    </>
  );
}

function via(edge: PathEdge): string {
  const s = t.value.found;
  if (edge.kind === "relation") return edge.fact ?? s.via.relation;
  if (edge.kind === "synonym") return `${s.via.synonym} ${score(edge.similarity ?? 0, locale.value)}`;
  return s.via[edge.kind];
}
