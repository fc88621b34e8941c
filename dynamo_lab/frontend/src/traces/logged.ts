// Whether a recording was made of a trace log.
import type { Store } from "../core/state";

/** Then there are the log's texts, and nothing of what a log does not tell. */
export const isLogged = (store: Store): boolean => (store.model.value?.view.artifacts.length ?? 0) > 0;
