// Which operator's lowering is shown, which buffer, and whether the panel of switches is open.
import { batch, signal } from "@preact/signals";
import { stateOf } from "../core/state";
import { foundItems, itemEntity, type LoweringMode, nextStep, shownStep } from "./items";

export const loweringState = stateOf((store) => {
  const operator = signal("");
  const query = signal("");
  const mode = signal<LoweringMode>("operators");
  return {
    /** An entity; empty for the first. */
    operator,
    buffer: signal(0),
    mode,
    /** What operators are searched for. */
    query,
    isPanelOpen: signal(false),
    /** Shows the lowering of the next or the previous operator. */
    step: (by: 1 | -1): void => {
      const found = store.model.value?.view.lowering;
      const items = found ? foundItems(found, query.peek()) : [];
      mode.value = "operators";
      if (items.length > 0) operator.value = itemEntity(items[nextStep(items, shownStep(items, operator.peek()), by)]);
    },
    /** Shows the lowering of a node. */
    show: (node: string): void =>
      batch(() => {
        operator.value = node;
        query.value = "";
        mode.value = "operators";
        store.setTab("lowering");
      }),
  };
});
