// The rows of a listing: nodes in order, those of opened bodies below the node that calls them.
import type { GraphIndex } from "./graph-index";
import type { Term } from "./query";

export interface NodeRow {
  readonly index: GraphIndex;
  /** -1 for the head of a body. */
  readonly node: number;
  readonly depth: number;
}

type IndexOf = (graph: number) => GraphIndex | null;

/** The bodies that a node calls: they lie in its graph, or a damaged file could go round. */
function bodiesOf(index: GraphIndex, node: number, indexOf: IndexOf): GraphIndex[] {
  return (index.graph.subgraphs[node] ?? []).flatMap((body) => indexOf(body) ?? []).filter(({ graph }) => graph.parent === index.graph.id);
}

/** Rows of the graph with these bodies open. */
export function rowsOf(index: GraphIndex, indexOf: IndexOf, isOpen: (body: number) => boolean, depth = 0): NodeRow[] {
  const rows: NodeRow[] = [];
  for (let node = 0; node < index.size; node++) {
    rows.push({ index, node, depth });
    for (const body of bodiesOf(index, node, indexOf)) {
      if (isOpen(body.graph.id)) rows.push({ index: body, node: -1, depth: depth + 1 }, ...rowsOf(body, indexOf, isOpen, depth + 1));
    }
  }
  return rows;
}

/** Whether a search finds a row; its nodes are looked up once a graph. */
export function hitTest(terms: readonly Term[]): (row: Pick<NodeRow, "index" | "node">) => boolean {
  const known = new Map<GraphIndex, ReadonlySet<number>>();
  return ({ index, node }) => {
    let hits = known.get(index);
    if (!hits) known.set(index, (hits = new Set(index.find(terms))));
    return hits.has(node);
  };
}
