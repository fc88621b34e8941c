// Graphs and nodes of one recording, found again in another of the same program.
import { carryToLine } from "../core/carry";
import { type Entity, nodeEntity } from "../core/entities";
import type { Model } from "../core/model";
import type { GraphView } from "../core/types.generated";
import { indicesOf } from "./graph-index";

function sameGraph(graph: GraphView | undefined, to: Model): GraphView | undefined {
  return to.view.graphs.find(
    (other) => graph && other.stage === graph.stage && other.number === graph.number && other.is_backward === graph.is_backward && (other.parent === null) === (graph.parent === null),
  );
}

/** The graph of the same stage, direction and number. */
export function carryGraph(id: number | null, from: Model, to: Model): number | null {
  return id === null ? null : (sameGraph(from.graphs.get(id), to)?.id ?? null);
}

/** The node of the same name in it, else the reader's line; empty for none. */
export function carryNode({ a, b }: Entity, from: Model, to: Model): string {
  const graph = from.graphs.get(a);
  const other = sameGraph(graph, to);
  const at = graph && other ? other.name.indexOf(graph.name[b] ?? "") : -1;
  return other && at >= 0 ? nodeEntity(other.id, at) : carryToLine(indicesOf(from)(a)?.home[b], from, to);
}
