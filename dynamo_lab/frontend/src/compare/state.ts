// Whether kernels stand beside those of another recording.
import { signal } from "@preact/signals";
import { stateOf } from "../core/state";

export const compareState = stateOf(() => ({
  isBeside: signal(false),
  /** The label of the other recording; empty for the one to begin with. */
  other: signal(""),
  /** The kernels that are compared, by their place in the pair; null for the first that differ. */
  work: signal<number | null>(null),
}));
