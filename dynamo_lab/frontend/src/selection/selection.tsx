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
      <h4>{plural(entities.length, parseEntity(entities[0])?.kind ?? "thing")}</h4>
      <dl>
        <KinLines model={model} mask={mask} />
        <KinFacts model={model} mask={mask} />
        <KinGraphs model={model} mask={mask} />
      </dl>
    </>
  );
}

export function Selection() {
  const store = useStore();
  const model = useModel();
  const pinned = store.pin.value !== "";
  const focus = store.focus.value;
  const several = focus.split(" ");
  const entity = parseEntity(focus);
  const mask = pinned ? store.held.value : store.lit.value;
  const Card = entity && mask ? store.parts.find(({ kinds }) => kinds?.[entity.kind])?.kinds?.[entity.kind]?.Card : null;
  return (
    <aside class={`dl-selection${pinned ? " is-pinned" : ""}`} aria-label="Selection">
      {mask && (Card || several.length > 1)
        ? (
          <>
            {Card && entity ? <Card model={model} entity={entity} mask={mask} /> : <Several model={model} entities={several} mask={mask} />}
            {pinned && <button type="button" class="dl-icon dl-unpin" aria-label="Unpin" title="Unpin (Esc)" data-own onClick={store.unpin}>{"\u2715"}</button>}
          </>
        )
        : <p class="dl-dim dl-hint">Hover lights up what belongs together, a click pins it. <kbd>?</kbd> shows the keys.</p>}
    </aside>
  );
}
