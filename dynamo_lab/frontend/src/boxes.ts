// Which boxes a diagram shows: modules closed to one box, opened ones as frames around theirs.
import { moduleNodes } from "./kin";
import type { GraphView } from "./types";

/** Graphviz takes over a second beyond a few hundred boxes, and nobody reads them. */
export const MAX_BOXES = 200;

export type BoxId = string; // "m<module>" or "n<node>"

export interface Box {
  readonly id: BoxId;
  readonly module: number; // -1 for a node
  readonly node: number; // -1 for a module
}

export interface Cluster {
  readonly module: number;
  readonly boxes: readonly Box[];
  readonly clusters: readonly Cluster[];
}

export interface Edge {
  readonly from: BoxId;
  readonly to: BoxId;
  readonly weight: number;
}

export interface Scene {
  readonly root: Cluster;
  readonly boxes: readonly Box[];
  readonly edges: readonly Edge[];
}

const nodeBox = (node: number): Box => ({ id: `n${node}`, module: -1, node });
const moduleBox = (module: number): Box => ({ id: `m${module}`, module, node: -1 });

const isInput = (graph: GraphView, node: number): boolean => {
  const op = graph.strings[graph.op[node]];
  return op === "placeholder" || op === "get_attr";
};

export function countInputs(graph: GraphView): number {
  return graph.name.reduce((count, _, node) => count + (isInput(graph, node) ? 1 : 0), 0);
}

/** Nodes a box of its own would show: parameters by the hundred are left out unless asked for. */
export function shownNodes(graph: GraphView, withInputs: boolean): ReadonlySet<number> {
  const shown = new Set<number>();
  graph.name.forEach((_, node) => {
    if (withInputs || !isInput(graph, node)) shown.add(node);
  });
  return shown;
}

/** How many boxes there are with these modules open. */
export function countBoxes(
  graph: GraphView, open: ReadonlySet<number>, shown: ReadonlySet<number>, module = 0,
): number {
  const box = graph.modules[module];
  if (!box) return 0;
  let count = box.nodes.reduce((sum, node) => sum + (shown.has(node) ? 1 : 0), 0);
  for (const child of box.children) {
    count += open.has(child) ? countBoxes(graph, open, shown, child) : 1;
  }
  return count;
}

/**
 * Opens modules level by level as long as all boxes can be read at once. A level opens whole or not
 * at all, so that twelve like blocks look alike; modules of one or two operators stay closed.
 */
export function initiallyOpen(
  graph: GraphView, shown: ReadonlySet<number>, comfortable = 40,
): Set<number> {
  const worth = (module: number): boolean => {
    const { nodes, children } = graph.modules[module];
    return children.length > 0 || nodes.filter((node) => shown.has(node)).length > 2;
  };
  let open = new Set<number>([0]);
  let level = (graph.modules[0]?.children ?? []).filter(worth);
  while (level.length > 0) {
    const next = new Set([...open, ...level]);
    if (countBoxes(graph, next, shown) > comfortable) break;
    open = next;
    level = level.flatMap((module) => graph.modules[module].children.filter(worth));
  }
  return open;
}

/** The box that stands for each node; absent for nodes that are not shown. */
function representatives(graph: GraphView, root: Cluster): Map<number, BoxId> {
  const shows = new Map<number, BoxId>();
  const visit = (cluster: Cluster): void => {
    for (const box of cluster.boxes) {
      if (box.node >= 0) shows.set(box.node, box.id);
      else for (const node of moduleNodes(graph, box.module)) shows.set(node, box.id);
    }
    cluster.clusters.forEach(visit);
  };
  visit(root);
  return shows;
}

function aggregate(graph: GraphView, shows: ReadonlyMap<number, BoxId>): Edge[] {
  const weights = new Map<string, Edge>();
  graph.inputs.forEach((inputs, node) => {
    const to = shows.get(node);
    if (to === undefined) return;
    for (const input of inputs) {
      const from = shows.get(input);
      if (from === undefined || from === to) continue;
      const key = `${from} ${to}`;
      weights.set(key, { from, to, weight: (weights.get(key)?.weight ?? 0) + 1 });
    }
  });
  return [...weights.values()];
}

function allBoxes(cluster: Cluster): Box[] {
  return [...cluster.boxes, ...cluster.clusters.flatMap(allBoxes)];
}

export function moduleScene(
  graph: GraphView, open: ReadonlySet<number>, shown: ReadonlySet<number>,
): Scene {
  const cluster = (module: number): Cluster => {
    const box = graph.modules[module];
    const closed = box.children.filter((child) => !open.has(child));
    return {
      module,
      boxes: [...box.nodes.filter((node) => shown.has(node)).map(nodeBox), ...closed.map(moduleBox)],
      clusters: box.children.filter((child) => open.has(child)).map(cluster),
    };
  };
  const root = cluster(0);
  return { root, boxes: allBoxes(root), edges: aggregate(graph, representatives(graph, root)) };
}

/** Nodes within `reach` steps of `center`, inputs and users alike, nearest first, at most `limit`. */
export function neighbourhood(
  graph: GraphView, users: readonly (readonly number[])[], center: number,
  reach = 2, limit = MAX_BOXES,
): number[] {
  const found = new Set<number>([center]);
  const spread = (next: (node: number) => readonly number[]): void => {
    let edge = [center];
    for (let step = 0; step < reach; step++) {
      const further: number[] = [];
      for (const node of edge) {
        for (const neighbour of next(node)) {
          if (found.has(neighbour) || found.size >= limit) continue;
          found.add(neighbour);
          further.push(neighbour);
        }
      }
      edge = further;
    }
  };
  spread((node) => graph.inputs[node] ?? []);
  spread((node) => users[node] ?? []);
  return [...found].sort((a, b) => a - b);
}

export function nodeScene(graph: GraphView, nodes: readonly number[]): Scene {
  const boxes = nodes.map(nodeBox);
  const root: Cluster = { module: -1, boxes, clusters: [] };
  const shows = new Map(nodes.map((node) => [node, `n${node}`]));
  return { root, boxes, edges: aggregate(graph, shows) };
}
