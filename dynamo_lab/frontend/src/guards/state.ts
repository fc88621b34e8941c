// What is shown of guards.
import { signal } from "@preact/signals";
import { stateOf } from "../core/state";

export const GUARD_MODES = ["recompiles", "guards", "costs", "shapes"] as const;
export type GuardMode = (typeof GUARD_MODES)[number];

/** The reader's choice; null shows what there is most to say of. */
export const guardsState = stateOf(() => ({ mode: signal<GuardMode | null>(null) }));
