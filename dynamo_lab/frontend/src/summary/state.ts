// Whether it is told at length how to read the view that is shown.
import { signal } from "@preact/signals";
import { stateOf } from "../core/state";

export const readingState = stateOf(() => ({ isOpen: signal(false) }));
