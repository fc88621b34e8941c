// The operators of all graphs as rows, and what the stages of one operator hold.
import { nodeEntity } from "../core/entities";
import { matches } from "../core/search";
import type { CompilerView, StageGraph, StageLoop, StageOperator } from "../core/types.generated";

/** A line of a stage, and the nodes that it computes for. */
export type StageLine = StageLoop["lines"][number];

export type OperatorItem = { readonly graph: StageGraph; readonly operator?: StageOperator };

/** Each graph, followed by its operators that hold every word of a query. */
export function operatorItems(view: CompilerView, query: string): OperatorItem[] {
  const all = view.graphs.flatMap((graph): OperatorItem[] => [{ graph }, ...graph.operators.map((operator) => ({ graph, operator }))]);
  const texts = query ? all.map(({ operator }) => (operator ? `${operator.name} ${operator.operator} ${operator.outcome} ${operator.where}`.toLowerCase() : "")) : [];
  return matches(texts, query)?.map((i) => all[i]) ?? all;
}

export const itemEntity = (item: OperatorItem | undefined): string => (item?.operator ? nodeEntity(item.graph.graph, item.operator.node) : "");

/** The chosen operator, else the first that a kernel computes, else the first. */
export function shownItem(items: readonly OperatorItem[], entity: string): number {
  const chosen = entity ? items.findIndex((item) => itemEntity(item) === entity) : -1;
  if (chosen >= 0) return chosen;
  const computed = items.findIndex(({ operator }) => (operator?.kernels.length ?? 0) > 0);
  return computed >= 0 ? computed : items.findIndex(({ operator }) => operator !== undefined);
}

/** The next operator, around the end. */
export function nextItem(items: readonly OperatorItem[], from: number, by: 1 | -1): number {
  for (let i = 1; i <= items.length; i++) {
    const at = (from + by * i + items.length * 2) % items.length;
    if (items[at].operator) return at;
  }
  return from;
}

export const LANGUAGES: Readonly<Record<string, string>> = { c: "C", triton: "Triton", metal: "Metal" };
