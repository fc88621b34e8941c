// The operators of all graphs as rows, and what the stages of one operator hold.
import { nodeEntity } from "../core/entities";
import { matches } from "../core/search";
import type { CompilerView, RulingView, ScheduleView, StageGraph, StageLoop, StageOperator, StageTurns } from "../core/types.generated";
import { pairsOf } from "../fusion/rounds";

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

/** A verdict of fusion by the buffers of both groups; `producer` and `consumer` are those groups. */
export interface BufferPair {
  readonly first: readonly string[];
  readonly second: readonly string[];
  readonly producer: number;
  readonly consumer: number;
  readonly ruling: RulingView;
}

/** The verdicts on pairs with one of these buffers, what was fused first; of the same two groups the last. */
export function pairsAbout(schedule: ScheduleView, buffers: readonly string[]): BufferPair[] {
  const named = (group: number): string[] => schedule.groups[group].operations.flatMap((at) => schedule.operations[at].buffers);
  const found = new Map<string, BufferPair>();
  for (const { producer, consumer, ruling } of pairsOf(schedule)) {
    const pair = { first: named(producer), second: named(consumer), producer, consumer, ruling };
    if ([...pair.first, ...pair.second].some((one) => buffers.includes(one))) found.set(`${producer} ${consumer}`, pair);
  }
  const isFused = ({ ruling }: BufferPair): number => Number(ruling.outcome === "fused");
  return [...found.values()].sort((a, b) => isFused(b) - isFused(a));
}

/** The loops with one a place further out; the same where it cannot be: those reduced over stay within. */
export function moved(turns: readonly StageTurns[], at: number): readonly StageTurns[] {
  if (at === 0 || turns[at - 1].reduces !== turns[at].reduces) return turns;
  return turns.with(at - 1, turns[at]).with(at, turns[at - 1]);
}

/** What the kernel is asked for: the order of all loops, and the tiles and unrolling of those that have one. */
export function plannedLoops(turns: readonly StageTurns[]) {
  const having = (what: "tile" | "unroll"): Record<string, number> => Object.fromEntries(turns.filter((one) => one[what] > 0).map((one) => [one.name, one[what]]));
  return { order: turns.map(({ name }) => name), tile: having("tile"), unroll: having("unroll") };
}

export const LANGUAGES: Readonly<Record<string, string>> = { c: "C", triton: "Triton", metal: "Metal" };
