// Which source is shown.
import { signal } from "@preact/signals";
import { stateOf } from "../core/state";

/** Null for the one that the view says to show first. */
export const codeState = stateOf(() => ({ file: signal<number | null>(null) }));
