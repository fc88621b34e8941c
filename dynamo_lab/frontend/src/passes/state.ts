// Which pass is shown, and how.
import { signal } from "@preact/signals";
import { stateOf } from "../core/state";
import { type DiffMode, nextRewrite, shownPass } from "./items";

export const passesState = stateOf((store) => {
  const pass = signal<number | null>(null);
  return {
    /** Null for the first that did something. */
    pass,
    /** Whether passes that did nothing are left out. */
    rewritesOnly: signal(true),
    diffMode: signal<DiffMode>("diff"),
    /** Shows the next or the previous pass that did something. */
    step: (by: 1 | -1): void => {
      const passes = store.model.value?.view.passes.passes ?? [];
      pass.value = nextRewrite(passes, shownPass(passes, pass.peek()), by);
    },
  };
});
