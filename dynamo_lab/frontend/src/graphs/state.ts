// Which graph is shown, in which form, and what is searched for in it.
import { signal } from "@preact/signals";
import { stateOf } from "../core/state";
import type { ColourMode } from "./diagram/colours";

export const GRAPH_MODES = ["listing", "diagram"] as const;
export type GraphMode = (typeof GRAPH_MODES)[number];

export const graphsState = stateOf(() => ({
  graph: signal<number | null>(null),
  mode: signal<GraphMode>("listing"),
  /** What nodes are searched for, in every stage. */
  query: signal(""),
  /** What the colours of a diagram mean. */
  colours: signal<ColourMode>("kind"),
  /** The node whose neighbourhood the diagram shows; empty for the whole graph. */
  around: signal(""),
}));
