// Which boxes a diagram shows: modules closed to one box, opened ones as frames around theirs, and
// the bodies of operators as frames too. Repeated blocks are one box; opened, a frame around the first of
// them and a box of the others. Python's `scenes` is its mirror; one table of cases holds both.
import { moduleNodes } from "../../core/kin";
import type { GraphView } from "../../core/types.generated";
import { Folds, type Items } from "../folds";

/** Graphviz takes over a second beyond a few hundred boxes, and nobody reads them. */
export const MAX_BOXES = 200;

/** Above this many inputs and parameters, they are left out until asked for. */
export const FEW_INPUTS = 12;

export type Graphs = ReadonlyMap<number, GraphView>;

/** "m<graph>_<module>", "n<graph>_<node>"; of blocks "r<graph>_<repeat>_<module>", of all but the first "q…"; of an opened body "b<graph>". */
export type BoxId = string;

export interface Box {
  readonly id: BoxId;
  readonly graph: number;
  readonly module: number; // -1 for a node
  readonly node: number; // -1 for a module
  readonly blocks: Blocks | null;
}

/** Repeated blocks within a module: their nodes and modules, block by block. */
export interface Blocks {
  readonly repeat: number;
  readonly parts: readonly Items[];
  /** Whether it is all but the first of them. */
  readonly isRest: boolean;
}

export interface Cluster {
  readonly id: BoxId;
  readonly graph: number;
  readonly module: number;
  readonly repeat: number; // -1 where it is no frame around repeated blocks
  readonly boxes: readonly Box[];
  readonly clusters: readonly Cluster[];
}

export interface Edge {
  readonly from: BoxId;
  readonly to: BoxId;
  readonly weight: number;
  /** From a node to the body that it calls. */
  readonly isCall: boolean;
}

export interface Scene {
  readonly root: Cluster;
  readonly boxes: readonly Box[];
  readonly edges: readonly Edge[];
}

export const moduleId = (graph: number, module: number): BoxId => `m${graph}_${module}`;
export const nodeId = (graph: number, node: number): BoxId => `n${graph}_${node}`;
export const bodyId = (graph: number): BoxId => `b${graph}`;

const nodeBox = (graph: number, node: number): Box => ({ id: nodeId(graph, node), graph, module: -1, node, blocks: null });
const moduleBox = (graph: number, module: number): Box => ({ id: moduleId(graph, module), graph, module, node: -1, blocks: null });
const blocksBox = (graph: number, module: number, blocks: Blocks): Box =>
  ({ id: `${blocks.isRest ? "q" : "r"}${graph}_${blocks.repeat}_${module}`, graph, module, node: -1, blocks });

const isInput = (graph: GraphView, node: number): boolean => {
  const op = graph.strings[graph.op[node]];
  return op === "placeholder" || op === "get_attr";
};

export function countInputs(graph: GraphView): number {
  return graph.name.reduce((count, _, node) => count + (isInput(graph, node) ? 1 : 0), 0);
}

function allBoxes(cluster: Cluster): Box[] {
  return [...cluster.boxes, ...cluster.clusters.flatMap(allBoxes)];
}

/** The nodes that a box stands for. */
export function nodesOf(graph: GraphView, box: Box): readonly number[] {
  if (box.node >= 0) return [box.node];
  if (!box.blocks) return moduleNodes(graph, box.module);
  return box.blocks.parts.flatMap(({ nodes, children }) => [...nodes, ...children.flatMap((child) => moduleNodes(graph, child))]);
}

/** Makes scenes of one graph; `graphs` also holds the bodies that it calls. */
export class Scenes {
  private readonly folds = new Map<number, Folds>();

  constructor(
    readonly graph: GraphView,
    private readonly graphs: Graphs,
    readonly withInputs: boolean,
  ) {}

  /**
   * Opens modules level by level as long as all boxes can be read at once. A level opens whole or
   * not at all, so that twelve like blocks look alike; modules of one or two operators stay closed,
   * and of repeated blocks all but the first.
   */
  initiallyOpen(comfortable = 60): Set<BoxId> {
    let open = new Set<BoxId>();
    for (let level = this.worthOpening(open); level.length > 0; level = this.worthOpening(open)) {
      const wider = new Set([...open, ...level]);
      if (this.count(wider) > comfortable) break;
      open = wider;
    }
    return open;
  }

  /** How many boxes there are with these modules and bodies open. */
  count(open: ReadonlySet<BoxId>): number {
    return this.graph.modules.length > 0 ? allBoxes(this.cluster(this.graph, 0, open)).length : Infinity;
  }

  /** The whole graph, with these modules and bodies open. */
  modules(open: ReadonlySet<BoxId>): Scene {
    return this.scene(this.cluster(this.graph, 0, open));
  }

  /** These nodes, without frames. */
  nodes(nodes: readonly number[]): Scene {
    const { id } = this.graph;
    return this.scene({ id: moduleId(id, 0), graph: id, module: 0, repeat: -1, boxes: nodes.map((node) => nodeBox(id, node)), clusters: [] });
  }

  /** The closed boxes in which there is more than in themselves. */
  private worthOpening(open: ReadonlySet<BoxId>): BoxId[] {
    const { modules } = this.graph;
    if (modules.length === 0) return [];
    const holdsMuch = ({ module, blocks }: Box): boolean => (blocks ? !blocks.isRest
      : modules[module].children.length > 0 || modules[module].nodes.filter((node) => this.isShown(this.graph, node)).length > 2);
    return allBoxes(this.cluster(this.graph, 0, open)).filter((box) => box.node < 0 && holdsMuch(box)).map(({ id }) => id);
  }

  private isShown(graph: GraphView, node: number): boolean {
    return this.withInputs || !isInput(graph, node);
  }

  private cluster(graph: GraphView, module: number, open: ReadonlySet<BoxId>): Cluster {
    const { nodes, children } = graph.modules[module];
    const id = module > 0 || graph === this.graph ? moduleId(graph.id, module) : bodyId(graph.id);
    const frame: Cluster = { id, graph: graph.id, module, repeat: -1, boxes: [], clusters: [] };
    return this.filled(graph, frame, { nodes: nodes.filter((node) => this.isShown(graph, node)), children }, open);
  }

  /** The frame with these items in it, repeated ones folded. */
  private filled(graph: GraphView, frame: Cluster, items: Items, open: ReadonlySet<BoxId>): Cluster {
    const [folds, { nodes, children }] = this.foldsOf(graph).folded(items, frame.repeat);
    const repeated = folds.map(({ repeat, blocks }) => blocksBox(graph.id, frame.module, { repeat, parts: blocks, isRest: false }));
    const isOpen = (child: number): boolean => open.has(moduleId(graph.id, child));
    const bodies = nodes.flatMap((node) => graph.subgraphs[node] ?? [])
      .flatMap((body) => (open.has(bodyId(body)) ? (this.graphs.get(body) ?? []) : []));
    return {
      ...frame,
      boxes: [
        ...frame.boxes,
        ...nodes.map((node) => nodeBox(graph.id, node)),
        ...children.filter((child) => !isOpen(child)).map((child) => moduleBox(graph.id, child)),
        ...repeated.filter(({ id }) => !open.has(id)),
      ],
      clusters: [
        ...children.filter(isOpen).map((child) => this.cluster(graph, child, open)),
        ...repeated.filter(({ id }) => open.has(id)).map((box) => this.opened(graph, box, open)),
        ...bodies.map((body) => this.cluster(body, 0, open)),
      ],
    };
  }

  /** The frame of opened blocks: the first and a box of the others, or all. */
  private opened(graph: GraphView, { id, module, blocks }: Box, open: ReadonlySet<BoxId>): Cluster {
    const { repeat, parts } = blocks ?? { repeat: -1, parts: [] };
    const rest = blocksBox(graph.id, module, { repeat, parts: parts.slice(1), isRest: true });
    const isAll = open.has(rest.id);
    const shown = isAll ? parts : parts.slice(0, 1);
    const frame: Cluster = { id, graph: graph.id, module, repeat, boxes: isAll ? [] : [rest], clusters: [] };
    return this.filled(graph, frame, { nodes: shown.flatMap(({ nodes }) => nodes), children: shown.flatMap(({ children }) => children) }, open);
  }

  private foldsOf(graph: GraphView): Folds {
    const folds = this.folds.get(graph.id) ?? new Folds(graph);
    this.folds.set(graph.id, folds);
    return folds;
  }

  private scene(root: Cluster): Scene {
    const boxes = allBoxes(root);
    const graphs = [...new Set(boxes.map((box) => box.graph))].flatMap((id) => this.graphs.get(id) ?? []);
    return { root, boxes, edges: [...graphs.flatMap((graph) => edgesOf(graph, boxes)), ...this.calls(root)] };
  }

  /** From each node whose body is open to the first box in it. */
  private calls(cluster: Cluster): Edge[] {
    return cluster.clusters.flatMap((inner) => {
      const first = allBoxes(inner).at(0);
      const body = this.graphs.get(inner.graph);
      const from = body && body.parent !== null && body.parent_node !== null ? nodeId(body.parent, body.parent_node) : null;
      const call = inner.id === bodyId(inner.graph) && first && from ? [{ from, to: first.id, weight: 1, isCall: true }] : [];
      return [...call, ...this.calls(inner)];
    });
  }
}

function edgesOf(graph: GraphView, boxes: readonly Box[]): Edge[] {
  const shows = new Map<number, BoxId>();
  for (const box of boxes) {
    if (box.graph !== graph.id) continue;
    for (const node of nodesOf(graph, box)) shows.set(node, box.id);
  }
  const weights = new Map<string, Edge>();
  graph.inputs.forEach((inputs, node) => {
    const to = shows.get(node);
    if (to === undefined) return;
    for (const input of inputs) {
      const from = shows.get(input);
      if (from === undefined || from === to) continue;
      const key = `${from} ${to}`;
      weights.set(key, { from, to, weight: (weights.get(key)?.weight ?? 0) + 1, isCall: false });
    }
  });
  return [...weights.values()];
}

/** How far around a node to look. */
export interface Reach {
  readonly up: number;
  readonly down: number;
}

/** Nodes within reach of `center`, inputs and users alike, nearest first, at most `limit`. */
export function neighbourhood(
  graph: GraphView, users: readonly (readonly number[])[], center: number,
  { up, down }: Reach, limit = MAX_BOXES,
): number[] {
  const found = new Set<number>([center]);
  const spread = (reach: number, next: (node: number) => readonly number[]): void => {
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
  spread(up, (node) => graph.inputs[node] ?? []);
  spread(down, (node) => users[node] ?? []);
  return [...found].sort((a, b) => a - b);
}
