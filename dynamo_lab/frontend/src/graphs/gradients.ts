// Which forward line a backward node is the gradient of: the line of what it was made from, found
// through the links to the graphs before it.
import type { Place } from "../core/places";
import type { GraphView, View } from "../core/types.generated";

type Origin = readonly [graph: number, node: number];

export type ForwardLines = (graph: GraphView, node: number) => Place | null;

/** For each backward graph, what its nodes came from; the graphs linked last come first. */
function originsOf(view: View): ReadonlyMap<number, ReadonlyMap<number, readonly Origin[]>> {
  const backward = new Set(view.graphs.filter((graph) => graph.is_backward).map((graph) => graph.id));
  const found = new Map<number, Map<number, Origin[]>>();
  for (const [above, below, pairs] of view.links.graph_links) {
    if (!backward.has(below)) continue;
    let nodes = found.get(below);
    if (!nodes) found.set(below, (nodes = new Map()));
    for (let i = 0; i + 1 < pairs.length; i += 2) {
      const known = nodes.get(pairs[i + 1]);
      if (known) known.push([above, pairs[i]]);
      else nodes.set(pairs[i + 1], [[above, pairs[i]]]);
    }
  }
  return found;
}

export function forwardLines(view: View, places: readonly (Place | null)[]): ForwardLines {
  const graphs = new Map(view.graphs.map((graph) => [graph.id, graph]));
  let origins: ReturnType<typeof originsOf> | null = null;

  const find = (graph: GraphView, node: number, seen: Set<string>): Place | null => {
    const key = `${graph.id}:${node}`;
    if (seen.has(key)) return null;
    seen.add(key);
    origins ??= originsOf(view);
    for (const [above, from] of origins.get(graph.id)?.get(node) ?? []) {
      const before = graphs.get(above);
      if (!before) continue;
      const own = places[before.stack[from] ?? -1];
      const place = own ?? find(before, from, seen);
      if (place) return place;
    }
    return null;
  };
  return (graph, node) => (graph.is_backward ? find(graph, node, new Set()) : null);
}
