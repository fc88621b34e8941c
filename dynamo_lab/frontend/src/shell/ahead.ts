// Works out ahead, while the reader does nothing, what a view of a large program would otherwise wait for when it is opened.
import { effect } from "@preact/signals";
import type { Store } from "../core/state";

/** Does this once nothing else is to be done; returns what calls it off. */
function whenIdle(act: () => void): () => void {
  if (typeof requestIdleCallback === "function") {
    const asked = requestIdleCallback(act);
    return () => cancelIdleCallback(asked);
  }
  const asked = setTimeout(act, 200); // Safari has no idle times
  return () => clearTimeout(asked);
}

/** One piece in each idle time: whoever clicks meanwhile waits for one of them at most. Returns the clean-up. */
export function workAhead({ model, parts }: Pick<Store, "model" | "parts">): () => void {
  let callOff = (): void => undefined;
  const next = (pieces: readonly (() => void)[]): void => {
    const [first, ...rest] = pieces;
    if (!first) return;
    callOff = whenIdle(() => {
      first();
      next(rest);
    });
  };
  const stop = effect(() => {
    const shown = model.value;
    callOff();
    if (shown) next(parts.flatMap((part) => part.ahead?.(shown) ?? []));
  });
  return () => {
    stop();
    callOff();
  };
}
