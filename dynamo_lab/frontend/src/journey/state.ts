// The way that is shown, worked out once for the strip and for those who hear it.
import { computed } from "@preact/signals";
import { parseEntity } from "../core/entities";
import { stateOf } from "../core/state";
import type { JourneyView } from "../core/types.generated";
import { journeyOf } from "./journey";

/** What can be on a way: the others have their facts alone. */
const ON_WAYS: ReadonlySet<string> = new Set(["line", "expression", "node", "kernel", "statement", "buffer", "op", "operator", "module"]);

export const journeyState = stateOf((store) => ({
  /** Of what is pinned, else of what is under the pointer; null where that has no way. */
  shown: computed((): JourneyView | null => {
    const model = store.model.value;
    const entity = store.focus.value;
    const mask = store.pin.value ? store.held.value : store.lit.value;
    const kind = parseEntity(entity)?.kind;
    return model && mask && kind && ON_WAYS.has(kind) ? journeyOf(model, entity, mask) : null;
  }),
}));
