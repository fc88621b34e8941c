// What is selected: its facts, its links, its reason, as the part says that it belongs to.
import { useModel, useStore } from "../core/context";
import { parseEntity } from "../core/entities";
import type { Mask } from "../core/kin";
import type { Model } from "../core/model";
import { plural } from "../core/words";
import { KinFacts, KinGraphs, KinLines } from "./links";

/** Several at once, such as the kernels that do what one of another recording does. */
function Several({ model, entities, mask }: { model: Model; entities: readonly string[]; mask: Mask }) {
  return (
    <>
      <h3>{plural(entities.length, parseEntity(entities[0])?.kind ?? "thing")}</h3>
      <dl>
        <KinLines model={model} mask={mask} />
        <KinFacts model={model} mask={mask} />
        <KinGraphs model={model} mask={mask} />
      </dl>
    </>
  );
}

/** Slides over the view while it is asked for, and tells all of what is pinned. */
export function Selection() {
  const store = useStore();
  const model = useModel();
  if (!store.details.value) return null;
  const several = store.pin.value.split(" ");
  const entity = parseEntity(store.pin.value);
  const mask = store.held.value;
  const Card = entity && mask ? store.parts.find(({ kinds }) => kinds?.[entity.kind])?.kinds?.[entity.kind]?.Card : null;
  return (
    <aside class="dl-selection" aria-label="Selection">
      {mask && Card && entity && <Card model={model} entity={entity} mask={mask} />}
      {mask && !Card && several.length > 1 && <Several model={model} entities={several} mask={mask} />}
      {!mask && <p class="dl-dim">Click on a line, a node, a buffer or a kernel: its facts and links stand here.</p>}
      <button type="button" class="dl-icon dl-close" aria-label="Close the details" title="Close (d)" data-own onClick={() => void (store.details.value = false)}>{"\u2715"}</button>
    </aside>
  );
}
