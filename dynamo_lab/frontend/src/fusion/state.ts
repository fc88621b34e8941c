// Which graph's fusion is shown, and how.
import { signal } from "@preact/signals";
import { stateOf } from "../core/state";

export const FUSION_MODES = ["groups", "lists", "pairs", "why"] as const;
export type FusionMode = (typeof FUSION_MODES)[number];

export const fusionState = stateOf(() => ({
  /** By its place among the schedules. */
  shown: signal(0),
  mode: signal<FusionMode>("groups"),
}));
