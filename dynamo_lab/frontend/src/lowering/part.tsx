// The part of the lowering: buffers are its entities.
import { carry } from "../core/carry";
import type { Part, Selected } from "../core/state";
import { Fact, KinFacts, KinGraphs, KinLines } from "../selection/links";
import { isLogged } from "../traces/logged";
import { Badge, Prose } from "../ui/bits";
import { Lowering } from "./lowering";
import { operatorCount, stepItems } from "./items";
import { loweringState } from "./state";

function Buffer({ model, entity, mask }: Selected) {
  const buffer = model.view.lowering.buffers[entity.a];
  if (!buffer) return null;
  return (
    <>
      <h3><Badge tone="plain">{buffer.kind}</Badge> <code>{buffer.name}</code> <span class="dl-dim">of {model.graphTitle(buffer.graph)}</span></h3>
      <p><Prose text={buffer.why} /></p>
      <dl>
        {buffer.value && <Fact label="value"><code>{buffer.value}</code> <span class="dl-dim">{buffer.size}</span></Fact>}
        <KinLines model={model} mask={mask} />
        <KinFacts model={model} mask={mask} />
        <KinGraphs model={model} mask={mask} />
      </dl>
    </>
  );
}

export const loweringPart: Part = {
  tab: "lowering",
  Panel: Lowering,
  kinds: {
    buffer: {
      Card: Buffer,
      show: (store, { a }) => {
        const { buffer, mode } = loweringState(store);
        buffer.value = a;
        mode.value = "buffers";
      },
    },
  },
  isThere: (store) => !isLogged(store),
  isEmpty: ({ lowering }) => lowering.buffers.length === 0 && operatorCount(lowering) === 0,
  count: ({ lowering }) => operatorCount(lowering),
  ahead: ({ view }) => [() => stepItems(view.lowering)],
  hasKin: ({ view, kin }, held) => view.lowering.buffers.some((buffer) => held[kin.vertex("buffer", buffer.id)] === 1),
  follow: (store, from, to) => {
    const { buffer, operator } = loweringState(store);
    buffer.value = 0;
    operator.value = carry(store.parts, operator.peek(), from, to);
  },
  onKey: ({ key }, store) => {
    if (key !== "ArrowRight" && key !== "ArrowLeft") return false;
    loweringState(store).step(key === "ArrowRight" ? 1 : -1);
    return true;
  },
};
