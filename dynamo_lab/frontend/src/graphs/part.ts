// The part of graphs: nodes, modules and whole graphs are its entities.
import type { Entity } from "../core/entities";
import type { Part, Store } from "../core/state";
import type { View } from "../core/types.generated";
import { carryGraph, carryNode } from "./carry";
import { Graphs } from "./graphs";
import { groupGraphs } from "./groups";
import { rowsAhead } from "./listing-state";
import { Graph, Module, Node } from "./selected";
import { graphsState } from "./state";

/** What Dynamo captured, as the summary counts it; later stages are forms of the same graphs. */
function captured(view: View): number {
  const dynamo = view.graphs.filter((graph) => graph.stage === "dynamo" && graph.parent === null).length;
  return dynamo || groupGraphs(view.graphs).length;
}

const show = (store: Store, { a }: Entity): void => void (graphsState(store).graph.value = a);

export const graphsPart: Part = {
  tab: "graphs",
  Panel: Graphs,
  kinds: { node: { Card: Node, show, carry: carryNode }, module: { Card: Module, show }, graph: { Card: Graph, show } },
  count: captured,
  ahead: rowsAhead,
  hasKin: ({ view, kin }, held) => view.graphs.some((graph) => kin.countNodes(held, graph.id) > 0),
  follow: (store, from, to) => {
    const { graph } = graphsState(store);
    graph.value = carryGraph(graph.peek(), from, to);
  },
};
