// Repeats as a diagram folds them: within one box of a module, a part of each block. Mirrors Python's `folds`.
import type { GraphView, RepeatView } from "../core/types.generated";

/** Nodes and modules that lie directly in a module. */
export interface Items {
  readonly nodes: readonly number[];
  readonly children: readonly number[];
}

/** What a repeat has in a module, block by block. */
export interface Fold {
  readonly repeat: number;
  readonly blocks: readonly Items[];
}

type Span = readonly [first: number, last: number];

export const endOf = (repeat: RepeatView): number => repeat.first + repeat.size * repeat.times;

/** For each node the innermost repeat that it lies in, -1 for none. */
export function innermostRepeats(graph: GraphView): Int32Array {
  const found = new Int32Array(graph.name.length).fill(-1);
  graph.repeats.forEach((repeat, number) => found.fill(number, repeat.first, endOf(repeat))); // outer before inner
  return found;
}

/** The first and the last node that computes in each module, of inputs alone where none does: parameters come first. */
function spansOf(graph: GraphView): Span[] {
  const computes = graph.strings.map((op) => op !== "placeholder" && op !== "get_attr");
  const found: { readonly computes: boolean; readonly first: number; readonly last: number }[] = [];
  for (let number = graph.modules.length - 1; number >= 0; number--) { // a module comes after the one it lies in
    const box = graph.modules[number];
    const held = [
      ...box.nodes.map((node) => ({ computes: computes[graph.op[node]], first: node, last: node })),
      ...box.children.map((child) => found[child]),
    ].filter(({ first, last }) => first <= last);
    const computing = held.filter((one) => one.computes);
    const spans = computing.length > 0 ? computing : held;
    const first = spans.reduce((least, one) => Math.min(least, one.first), Infinity);
    const last = spans.reduce((most, one) => Math.max(most, one.last), -1);
    found[number] = { computes: computing.length > 0, first, last };
  }
  return found.map(({ first, last }) => [first, last]);
}

/** Folds what lies in the modules of one graph. */
export class Folds {
  private readonly innermost: Int32Array;
  private readonly spans: readonly Span[];

  constructor(private readonly graph: GraphView) {
    this.innermost = innermostRepeats(graph);
    this.spans = graph.repeats.length > 0 ? spansOf(graph) : [];
  }

  /**
   * The folds of these items, and the items in none; `within` is a repeat that is open. A repeat is folded
   * where each of its blocks has a part here: a module that all blocks share stays, and it is folded in that.
   */
  folded(items: Items, within = -1): readonly [readonly Fold[], Items] {
    const { repeats } = this.graph;
    if (repeats.length === 0) return [[], items];
    const parts = new Map<number, Map<number, { nodes: number[]; children: number[] }>>();
    const place = (kind: "nodes" | "children", item: number, span: Span): void => {
      for (const [repeat, block] of this.around(span, within)) {
        const blocks = parts.get(repeat) ?? new Map<number, { nodes: number[]; children: number[] }>();
        const part = blocks.get(block) ?? { nodes: [], children: [] };
        parts.set(repeat, blocks.set(block, part));
        part[kind].push(item);
      }
    };
    for (const node of items.nodes) place("nodes", node, [node, node]);
    for (const child of items.children) place("children", child, this.spans[child]);
    const nodes = new Set<number>();
    const children = new Set<number>();
    const folds: Fold[] = [];
    for (const [repeat, found] of [...parts].sort(([a], [b]) => a - b)) {
      const blocks = [...found].sort(([a], [b]) => a - b).map(([, part]) => part);
      const isTaken = blocks[0].nodes.some((node) => nodes.has(node)) || blocks[0].children.some((child) => children.has(child));
      if (blocks.length !== repeats[repeat].times || isTaken) continue;
      folds.push({ repeat, blocks });
      for (const block of blocks) {
        for (const node of block.nodes) nodes.add(node);
        for (const child of block.children) children.add(child);
      }
    }
    return [folds, { nodes: items.nodes.filter((node) => !nodes.has(node)), children: items.children.filter((child) => !children.has(child)) }];
  }

  /** The repeats of which one block holds all from the first node to the last, inner first. */
  private *around([first, last]: Span, within: number): Generator<readonly [repeat: number, block: number]> {
    for (let at = first <= last ? this.innermost[first] : -1; at >= 0 && at !== within; at = this.graph.repeats[at].parent) {
      const one = this.graph.repeats[at];
      const block = Math.floor((first - one.first) / one.size);
      if (last < endOf(one) && block === Math.floor((last - one.first) / one.size)) yield [at, block];
    }
  }
}
