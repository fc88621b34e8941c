// Which operator is shown, and how far down it is decomposed.
import { signal } from "@preact/signals";
import { operatorNodes } from "../core/kin";
import { derived } from "../core/model";
import { stateOf } from "../core/state";

export const decompositionsState = stateOf(() => ({
  operator: signal(0),
  /** The set of operators that the decompositions go down to. */
  set: signal(1),
}));

/** The operators that a node came from. */
export const operatorsOf = derived(({ view }) => {
  const found = new Map<string, number[]>();
  view.decompositions.operators.forEach((_, i) => {
    for (const [graph, node] of operatorNodes(view, i)) {
      const key = `${graph}:${node}`;
      found.set(key, [...(found.get(key) ?? []), i]);
    }
  });
  return (graph: number, node: number): readonly number[] => found.get(`${graph}:${node}`) ?? [];
});
