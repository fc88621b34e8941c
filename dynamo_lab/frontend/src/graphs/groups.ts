// Graphs as the selector offers them: one group a captured graph, its stages in order.
import type { GraphView } from "../core/types.generated";

const ORDER: readonly string[] = [
  "dynamo", "pre_grad", "joint", "forward", "backward", "post_grad", "lowered", "scheduled", "code", "restarted", "unknown",
];

/** The stage as it is called within a group: a title without the number of the captured graph. */
export function stageName(graph: GraphView): string {
  const before = `graph ${graph.number} `;
  return graph.title.startsWith(before) ? graph.title.slice(before.length) : graph.stage;
}

export interface GraphGroup {
  readonly key: string;
  readonly graphs: readonly GraphView[];
}

const rank = (graph: GraphView): number => {
  const at = ORDER.indexOf(graph.stage);
  // The backward graph's later stages come after the forward one's.
  return (at < 0 ? ORDER.length : at) + (graph.is_backward ? ORDER.length : 0);
};

export function groupGraphs(graphs: readonly GraphView[]): GraphGroup[] {
  const groups = new Map<string, GraphView[]>();
  for (const graph of graphs) {
    if (graph.parent !== null) continue;
    const key = graph.number > 0 ? `graph ${graph.number}` : graph.compile_id || `stage ${graph.id}`;
    groups.set(key, [...(groups.get(key) ?? []), graph]);
  }
  return [...groups].map(([key, members]) => ({ key, graphs: members.sort((a, b) => rank(a) - rank(b) || a.id - b.id) }));
}

/** The outermost graph that a body of a higher-order operator lies in. */
export function rootOf(graph: GraphView, graphs: ReadonlyMap<number, GraphView>): GraphView {
  let at = graph;
  const seen = new Set<number>();
  while (at.parent !== null && !seen.has(at.id)) {
    seen.add(at.id);
    const parent = graphs.get(at.parent);
    if (!parent) break;
    at = parent;
  }
  return at;
}

/** A graph that holds hits of a search, as it is called where they are told. */
export interface Hits {
  readonly graph: GraphView;
  readonly name: string;
  readonly count: number;
}

/** What a search finds outside the shown stage: in the captured graph's other stages, else once in each other captured graph. */
export function elsewhere(own: number, isHere: boolean, others: readonly GraphView[], count: (graph: GraphView) => number): Hits[] {
  const inOwn = others.filter((graph) => graph.number === own).map((graph) => ({ graph, name: stageName(graph), count: count(graph) })).filter((hits) => hits.count > 0);
  if (isHere || inOwn.length > 0) return inOwn;
  const found = new Map<number, Hits>();
  for (const graph of others) {
    const hits = found.has(graph.number) ? 0 : count(graph);
    if (hits > 0) found.set(graph.number, { graph, name: graph.title, count: hits });
  }
  return [...found.values()];
}
