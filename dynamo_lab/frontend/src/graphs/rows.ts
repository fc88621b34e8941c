// The rows of a listing: nodes in order, those of opened bodies below the node that calls them, and of
// repeated blocks the first alone, below a row that stands for all of them.
import type { RepeatView } from "../core/types.generated";
import { endOf } from "./folds";
import type { GraphIndex } from "./graph-index";
import type { Term } from "./query";

export interface NodeRow {
  readonly index: GraphIndex;
  /** -1 for the head of a body or of repeated blocks. */
  readonly node: number;
  readonly depth: number;
  /** The number of the repeat that the row heads, -1 for other rows. */
  readonly repeat: number;
  /** Whether a block after the first begins here. */
  readonly begins: boolean;
}

type IndexOf = (graph: number) => GraphIndex | null;

/** What the reader opened. */
export interface Opened {
  body(graph: number): boolean;
  /** Whether all blocks of a repeat are shown, not the first alone. */
  repeat(index: GraphIndex, repeat: number): boolean;
}

export const EVERYTHING: Opened = { body: () => true, repeat: () => true };

const NONE: readonly GraphIndex[] = [];

/** The bodies that a node calls: they lie in its graph, or a damaged file could go round. */
function bodiesOf(index: GraphIndex, node: number, indexOf: IndexOf): readonly GraphIndex[] {
  const bodies = index.graph.subgraphs[node];
  return !bodies ? NONE : bodies.flatMap((body) => indexOf(body) ?? []).filter(({ graph }) => graph.parent === index.graph.id);
}

/** The repeats of a graph by their first node, outer before inner. */
function startsOf(repeats: readonly RepeatView[]): ReadonlyMap<number, readonly number[]> {
  const starts = new Map<number, number[]>();
  repeats.forEach(({ first }, number) => starts.set(first, [...(starts.get(first) ?? []), number]));
  return starts;
}

/** Rows of the graph with these bodies and repeats open. */
export function rowsOf(index: GraphIndex, indexOf: IndexOf, opened: Opened, depth = 0): NodeRow[] {
  const rows: NodeRow[] = [];
  const { repeats } = index.graph;
  const starts = startsOf(repeats);
  const add = (from: number, to: number, within: number, inner: number): void => {
    const around = within < 0 ? null : repeats[within];
    for (let node = from; node < to; node++) {
      const repeat = starts.get(node)?.find((number) => repeats[number].parent === within) ?? -1;
      if (repeat >= 0) {
        const one = repeats[repeat];
        rows.push({ index, node: -1, depth: inner, repeat, begins: false });
        add(node, opened.repeat(index, repeat) ? endOf(one) : node + one.size, repeat, inner + 1);
        node = endOf(one) - 1;
        continue;
      }
      const begins = around !== null && node > around.first && (node - around.first) % around.size === 0;
      rows.push({ index, node, depth: inner, repeat: -1, begins });
      for (const body of bodiesOf(index, node, indexOf)) {
        if (!opened.body(body.graph.id)) continue;
        rows.push({ index: body, node: -1, depth: inner + 1, repeat: -1, begins: false });
        for (const row of rowsOf(body, indexOf, opened, inner + 1)) rows.push(row);
      }
    }
  };
  add(0, index.size, -1, depth);
  return rows;
}

/** The repeats in which a node lies, inner first. */
export function repeatsAround({ graph, innermost }: GraphIndex, node: number): number[] {
  const found: number[] = [];
  for (let at = innermost[node] ?? -1; at >= 0; at = graph.repeats[at].parent) found.push(at);
  return found;
}

/** Whether a search finds a row; its nodes are looked up once a graph. */
export function hitTest(terms: readonly Term[]): (row: Pick<NodeRow, "index" | "node">) => boolean {
  const known = new Map<GraphIndex, Uint8Array>();
  return ({ index, node }) => {
    let hits = known.get(index);
    if (!hits) {
      known.set(index, (hits = new Uint8Array(index.size)));
      for (const hit of index.find(terms)) hits[hit] = 1;
    }
    return hits[node] === 1;
  };
}
