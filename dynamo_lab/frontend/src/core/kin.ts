// What belongs together. Entities are vertices of a DAG with edges from the reader's line down to
// the kernel; the kin of an entity are all above it and all below it. Adjacency is computed once a
// view, so that a hover costs two walks over typed arrays.
import { parseEntity } from "./entities";
import type { GraphView, View } from "./types.generated";

/** Compressed adjacency: the neighbours of v are targets[starts[v] .. starts[v + 1]]. */
interface Adjacency {
  readonly starts: Uint32Array;
  readonly targets: Uint32Array;
}

/** A mask over all vertices: 1 where the vertex is kin. */
export type Mask = Uint8Array;

export interface KinIndex {
  readonly size: number;
  /** The vertex of a single entity, -1 where there is none. */
  vertex(kind: "line" | "node" | "kernel" | "break" | "frame" | "guard" | "symbol" | "buffer" | "op" | "statement" | "expression", a: number, b?: number): number;
  /** The vertices an entity stands for: one, or all nodes of a graph or module; or several, by spaces. */
  resolve(entity: string): readonly number[];
  /** Kin of the vertices, themselves included. */
  kin(vertices: readonly number[]): Mask;
  /** Whether anything is above or below the vertex. */
  linked(vertex: number): boolean;
  /** Nodes of `graph` that are set in `mask`, in graph order. */
  nodesIn(mask: Mask, graph: number): number[];
  countNodes(mask: Mask, graph: number): number;
}

/** Numbers that come one by one. A plain array of so many would be copied, and collected, over and over. */
class Column {
  private held = new Uint32Array(1024);
  private count = 0;

  push(value: number): void {
    if (this.count === this.held.length) {
      const larger = new Uint32Array(2 * this.count);
      larger.set(this.held);
      this.held = larger;
    }
    this.held[this.count++] = value;
  }

  get values(): Uint32Array {
    return this.held.subarray(0, this.count);
  }
}

class EdgeList {
  private readonly from = new Column();
  private readonly to = new Column();

  add(from: number, to: number): void {
    if (from < 0 || to < 0) return;
    this.from.push(from);
    this.to.push(to);
  }

  down(size: number): Adjacency {
    return compress(this.from.values, this.to.values, size);
  }

  up(size: number): Adjacency {
    return compress(this.to.values, this.from.values, size);
  }
}

function compress(from: Uint32Array, to: Uint32Array, size: number): Adjacency {
  const starts = new Uint32Array(size + 1);
  for (let i = 0; i < from.length; i++) starts[from[i] + 1]++;
  for (let v = 0; v < size; v++) starts[v + 1] += starts[v];
  const next = starts.slice(0, size);
  const targets = new Uint32Array(from.length);
  for (let i = 0; i < from.length; i++) targets[next[from[i]]++] = to[i];
  return { starts, targets };
}

function walk(vertices: readonly number[], edges: Adjacency, mask: Mask): void {
  const seen = new Uint8Array(mask.length);
  const queue = [...vertices];
  for (const v of queue) seen[v] = 1;
  for (let v = queue.pop(); v !== undefined; v = queue.pop()) {
    mask[v] = 1;
    for (let i = edges.starts[v]; i < edges.starts[v + 1]; i++) {
      const w = edges.targets[i];
      if (seen[w]) continue;
      seen[w] = 1;
      queue.push(w);
    }
  }
}

/** All nodes inside a module's box, those of boxes within it included. */
export function moduleNodes(graph: GraphView, module: number): number[] {
  const nodes: number[] = [];
  const queue = [module];
  for (let m = queue.pop(); m !== undefined; m = queue.pop()) {
    const box = graph.modules[m];
    if (!box) continue;
    for (const node of box.nodes) nodes.push(node);
    for (const child of box.children) queue.push(child);
  }
  return nodes;
}

/** The nodes that an operator of the Decompositions tab became, as (graph, node). */
export function operatorNodes({ decompositions }: View, index: number): (readonly [number, number])[] {
  return (decompositions.operators[index]?.tops ?? []).flatMap((top) => decompositions.tops[top].nodes);
}

/** Hands out vertex numbers: a block for each graph, single ones for the rest. */
class Vertices {
  size = 0;
  readonly graphs = new Map<number, number>();
  private readonly sources = new Map<number, Map<number, number>>();
  private readonly singles = new Map<string, Map<number, number>>();

  line(source: number, line: number): number {
    return this.numbered(this.sources, source, line);
  }

  findLine(source: number, line: number): number {
    return this.sources.get(source)?.get(line) ?? -1;
  }

  lineOf(entity: string): number {
    const parsed = parseEntity(entity);
    return parsed?.kind === "line" ? this.line(parsed.a, parsed.b) : -1;
  }

  single(kind: string, id: number): number {
    return this.numbered(this.singles, kind, id);
  }

  private numbered<Key>(all: Map<Key, Map<number, number>>, key: Key, id: number): number {
    let known = all.get(key);
    if (!known) all.set(key, (known = new Map()));
    let vertex = known.get(id);
    if (vertex === undefined) known.set(id, (vertex = this.size++));
    return vertex;
  }

  find(kind: string, id: number): number {
    return this.singles.get(kind)?.get(id) ?? -1;
  }

  block(graph: GraphView): void {
    this.graphs.set(graph.id, this.size);
    this.size += graph.name.length;
  }
}

/** The graph that a body lies in: kernels are of that one. */
function rootOf(graphs: ReadonlyMap<number, GraphView>, graph: number): number {
  for (let parent = graphs.get(graph)?.parent ?? null; parent !== null; parent = graphs.get(graph)?.parent ?? null) graph = parent;
  return graph;
}

/** The vertex of a node, -1 where there is none. */
function nodeVertex(vertices: Vertices, graphs: ReadonlyMap<number, GraphView>, graph: number, index: number): number {
  const start = vertices.graphs.get(graph);
  const length = graphs.get(graph)?.name.length ?? 0;
  return start === undefined || index < 0 || index >= length ? -1 : start + index;
}

function connect(view: View, vertices: Vertices, edges: EdgeList): void {
  const graphs = new Map(view.graphs.map((graph) => [graph.id, graph]));
  for (const graph of view.graphs) vertices.block(graph);
  const node = (graph: number, index: number): number => nodeVertex(vertices, graphs, graph, index);
  for (const source of view.sources) {
    for (const [number] of source.lines) vertices.line(source.id, number);
  }
  // A vertex a stack keeps the edges few: lines -> stack -> nodes, not lines x nodes.
  const stacks = view.links.stacks.map((stack, i) => {
    const vertex = vertices.single("stack", i);
    for (const [source, line] of stack) edges.add(vertices.line(source, line), vertex);
    return vertex;
  });
  for (const graph of view.graphs) {
    graph.stack.forEach((stack, i) => {
      if (stack >= 0 && stack < stacks.length) edges.add(stacks[stack], node(graph.id, i));
    });
  }
  connectExpressions(view, vertices, edges, node);
  for (const [up, down, pairs] of view.links.graph_links) {
    for (let i = 0; i + 1 < pairs.length; i += 2) {
      edges.add(node(up, pairs[i]), node(down, pairs[i + 1]));
    }
  }
  const { buffers } = view.lowering;
  const stored = new Map(buffers.map((buffer) => [`${rootOf(graphs, buffer.graph)}:${buffer.name}`, buffer.id]));
  for (const buffer of buffers) {
    const vertex = vertices.single("buffer", buffer.id);
    for (const index of buffer.nodes) edges.add(node(buffer.graph, index), vertex);
  }
  for (const kernel of view.kernels.kernels) {
    const vertex = vertices.single("kernel", kernel.id);
    for (const name of kernel.buffers) edges.add(vertices.find("buffer", stored.get(`${kernel.graph}:${name}`) ?? -1), vertex);
    if (kernel.graph === null) continue;
    for (const index of kernel.nodes) edges.add(node(kernel.graph, index), vertex);
    // A statement's kin are its own nodes, so it hangs beside the kernel and not below it.
    for (const [line, nodes] of kernel.statements) {
      const statement = vertices.single(`statement:${kernel.id}`, line);
      for (const index of nodes) edges.add(node(kernel.graph, index), statement);
    }
  }
  for (const schedule of view.fusions.schedules) {
    for (const item of schedule.operations) {
      const vertex = vertices.single("op", item.id);
      for (const index of item.nodes) edges.add(node(schedule.graph, index), vertex);
      if (item.kernel !== null) edges.add(vertex, vertices.single("kernel", item.kernel));
    }
  }
  connectFacts(view, vertices, edges);
}

/** A line is above its expressions; what they call together is above the nodes that were made. */
function connectExpressions({ expressions }: View, vertices: Vertices, edges: EdgeList, node: (graph: number, index: number) => number): void {
  expressions.shown.forEach(([source, line], i) => edges.add(vertices.line(source, line), vertices.single("expression", i)));
  const calls = expressions.stacks.map((stack, i) => {
    const vertex = vertices.single("calls", i);
    for (const one of stack) edges.add(vertices.single("expression", one), vertex);
    return vertex;
  });
  for (const [graph, stacks] of expressions.nodes) {
    stacks.forEach((stack, i) => {
      if (stack >= 0) edges.add(calls[stack] ?? -1, node(graph, i));
    });
  }
}

function connectFacts(view: View, vertices: Vertices, edges: EdgeList): void {
  for (const item of view.breaks) {
    const vertex = vertices.single("break", item.id);
    for (const line of item.stack) edges.add(vertices.lineOf(line.entity), vertex);
  }
  for (const source of view.sources) {
    for (const mark of source.marks) {
      const target = parseEntity(mark.target);
      if (target?.kind !== "break" && target?.kind !== "symbol") continue;
      edges.add(vertices.line(source.id, mark.line), vertices.single(target.kind, target.a));
    }
  }
  for (const frame of view.frames) {
    edges.add(vertices.lineOf(frame.entity), vertices.single("frame", frame.id));
  }
  view.guards.guards.forEach((guard, i) => {
    edges.add(vertices.lineOf(guard.entity), vertices.single("guard", i));
  });
  view.shapes.symbols.forEach((symbol, i) => {
    const vertex = vertices.single("symbol", i);
    for (const at of [symbol, ...symbol.pinned]) edges.add(vertices.lineOf(at.entity), vertex);
  });
}

export function buildKin(view: View): KinIndex {
  const vertices = new Vertices();
  const edges = new EdgeList();
  connect(view, vertices, edges);
  const size = vertices.size;
  const up = edges.up(size);
  const down = edges.down(size);
  const graphs = new Map(view.graphs.map((graph) => [graph.id, graph]));

  const vertex: KinIndex["vertex"] = (kind, a, b = -1) => {
    if (kind === "line") return vertices.findLine(a, b);
    if (kind === "statement") return vertices.find(`statement:${a}`, b);
    return kind === "node" ? nodeVertex(vertices, graphs, a, b) : vertices.find(kind, a);
  };

  /** Kept: an operator that is called everywhere became thousands of nodes. */
  const operators = new Map<number, readonly number[]>();
  const ofOperator = (index: number): readonly number[] => {
    const known = operators.get(index);
    if (known) return known;
    const found: number[] = [];
    for (const [graph, node] of operatorNodes(view, index)) {
      const vertex = nodeVertex(vertices, graphs, graph, node);
      if (vertex >= 0) found.push(vertex);
    }
    operators.set(index, found);
    return found;
  };

  const resolve = (text: string): readonly number[] => {
    if (text.includes(" ")) return text.split(" ").flatMap((one) => [...resolve(one)]);
    const entity = parseEntity(text);
    if (!entity) return [];
    if (entity.kind === "graph" || entity.kind === "module") {
      const graph = graphs.get(entity.a);
      if (!graph) return [];
      const start = vertices.graphs.get(entity.a) ?? 0;
      if (entity.kind === "graph") return graph.name.map((_, i) => start + i);
      return moduleNodes(graph, entity.b).map((i) => start + i);
    }
    if (entity.kind === "operator") return ofOperator(entity.a);
    const found = vertex(entity.kind, entity.a, entity.b);
    return found < 0 ? [] : [found];
  };

  const kin = (from: readonly number[]): Mask => {
    const mask = new Uint8Array(size);
    walk(from, up, mask);
    walk(from, down, mask);
    return mask;
  };

  const range = (graph: number): readonly [number, number] => {
    const start = vertices.graphs.get(graph);
    return start === undefined ? [0, 0] : [start, start + (graphs.get(graph)?.name.length ?? 0)];
  };

  const degree = (edges: Adjacency, v: number): number => edges.starts[v + 1] - edges.starts[v];
  const linked = (v: number): boolean => v >= 0 && degree(up, v) + degree(down, v) > 0;

  const nodesIn = (mask: Mask, graph: number): number[] => {
    const [start, end] = range(graph);
    const found: number[] = [];
    for (let v = start; v < end; v++) if (mask[v]) found.push(v - start);
    return found;
  };

  const countNodes = (mask: Mask, graph: number): number => {
    const [start, end] = range(graph);
    let count = 0;
    for (let v = start; v < end; v++) count += mask[v];
    return count;
  };

  return { size, vertex, resolve, kin, linked, nodesIn, countNodes };
}
