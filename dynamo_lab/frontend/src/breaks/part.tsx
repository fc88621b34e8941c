// The part of graph breaks.
import { graphEntity } from "../core/entities";
import type { Part, Selected } from "../core/state";
import { KinLines, Links, OfFrame } from "../selection/links";
import { Badge, Prose } from "../ui/bits";
import { blocks } from "../ui/blocks";
import { Breaks } from "./breaks";
import { stepBreak } from "./state";

function Break({ model, entity, mask }: Selected) {
  const item = model.view.breaks.find((b) => b.id === entity.a);
  if (!item) return null;
  return (
    <>
      <h3><Badge tone="warning">break {model.breakNumber(item.id)}</Badge> <Prose text={item.heading} /></h3>
      <p class="dl-clamp"><Prose text={blocks(item.explanation)[0]?.text || item.reason} /></p>
      <dl>
        <KinLines model={model} mask={mask} />
        <OfFrame model={model} id={model.view.frames.find((frame) => frame.breaks.includes(item.id))?.id ?? null} />
        <Links label="graphs" to={[...(item.before === null ? [] : [item.before]), ...item.after].map((id) => [graphEntity(id), model.graphTitle(id)])} />
      </dl>
    </>
  );
}

export const breaksPart: Part = {
  tab: "breaks",
  Panel: Breaks,
  kinds: { break: { Card: Break } },
  count: (view) => view.breaks.length,
  hasKin: ({ view, kin }, held) => view.breaks.some((item) => held[kin.vertex("break", item.id)] === 1),
  onKeyAnywhere: ({ key }, store) => {
    if (key !== "b" && key !== "B") return false;
    stepBreak(store, key === "b" ? 1 : -1);
    return true;
  },
};
