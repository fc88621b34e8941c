// Which partition is shown.
import { signal } from "@preact/signals";
import { stateOf } from "../core/state";

/** Null for the first. */
export const autogradState = stateOf(() => ({ partition: signal<number | null>(null) }));
