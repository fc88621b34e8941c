// A scene as DOT to lay out. Only our own ids and sizes go in, never a name from the program: the labels are
// drawn by us afterwards, so there is nothing to escape and nothing to inject.
import type { Box, Cluster, Scene } from "./scenes";

export interface Size {
  readonly width: number; // pixels
  readonly height: number;
}

/** Graphviz counts in inches and points; one point is drawn as one pixel. */
const inches = (pixels: number): string => (pixels / 72).toFixed(3);

function boxLine(box: Box, size: Size): string {
  return `${box.id} [width=${inches(size.width)},height=${inches(size.height)}]`;
}

function clusterLines(cluster: Cluster, size: (box: Box) => Size, isRoot: boolean): string[] {
  const inside = [
    ...cluster.boxes.map((box) => boxLine(box, size(box))),
    ...cluster.clusters.flatMap((child) => clusterLines(child, size, false)),
  ];
  if (isRoot) return inside;
  return [`subgraph cluster_${cluster.id} {`, `label=" ";labelloc=t;fontsize=14;margin=10`, ...inside, "}"];
}

const COLUMNS = 4;

/** Boxes without edges would all stand in one row: invisible edges stack them in columns. */
function columns(scene: Scene): string[] {
  const joined = new Set(scene.edges.flatMap(({ from, to }) => [from, to]));
  const alone = scene.root.boxes.filter((box) => !joined.has(box.id));
  return alone.slice(COLUMNS).map((box, i) => `${alone[i].id} -> ${box.id} [style=invis]`);
}

export function sceneToDot(scene: Scene, size: (box: Box) => Size): string {
  const edges = scene.edges.map(({ from, to, weight }) => `${from} -> ${to} [weight=${Math.min(weight, 8)}]`);
  return [
    "digraph {",
    "graph [rankdir=TB,nodesep=0.22,ranksep=0.32,pad=0.1]",
    'node [shape=box,fixedsize=true,label=""]',
    "edge [arrowsize=0.6]",
    ...clusterLines(scene.root, size, true),
    ...edges,
    ...columns(scene),
    "}",
  ].join("\n");
}
