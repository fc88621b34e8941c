// The part of decomposed operators.
import { derived } from "../core/model";
import type { Part, Selected } from "../core/state";
import { Fact, KinFacts, KinGraphs, KinLines } from "../selection/links";
import { isLogged } from "../traces/logged";
import { Badge } from "../ui/bits";
import { Decompositions } from "./decompositions";
import { decompositionsState } from "./state";
import { grouped } from "../core/words";

function Operator({ model, entity, mask }: Selected) {
  const { decompositions } = model.view;
  const item = decompositions.operators[entity.a];
  if (!item) return null;
  const rule = decompositions.trees.rules[item.rule];
  return (
    <>
      <h3><Badge tone="plain">operator</Badge> <code>{item.operator}</code></h3>
      <dl>
        <Fact label="called">{item.times === 1 ? "once" : `${item.times} times`}</Fact>
        <Fact label="becomes">{decompositions.sets.map(([, title], i) => `${grouped(item.became[i])} in ${title}`).join(", ")}</Fact>
        {rule && <Fact label="by"><code>{rule.name}</code> {rule.where}</Fact>}
        <KinLines model={model} mask={mask} />
        <KinFacts model={model} mask={mask} />
        <KinGraphs model={model} mask={mask} />
      </dl>
    </>
  );
}

/** The vertices of all nodes that an operator became. */
const decomposedOf = derived(({ view, kin }): Uint32Array =>
  Uint32Array.from(view.decompositions.tops.flatMap(({ nodes }) => nodes.map(([graph, node]) => kin.vertex("node", graph, node))).filter((vertex) => vertex >= 0)));

export const decompositionsPart: Part = {
  tab: "decompositions",
  Panel: Decompositions,
  kinds: { operator: { Card: Operator, show: (store, { a }) => void (decompositionsState(store).operator.value = a) } },
  isThere: (store) => !isLogged(store),
  count: (view) => view.decompositions.operators.length,
  hasKin: (model, held) => decomposedOf(model).some((vertex) => held[vertex] === 1),
  follow: (store) => void (decompositionsState(store).operator.value = 0),
};
