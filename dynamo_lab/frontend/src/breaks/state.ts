// Going from one break to the next.
import { breakEntity } from "../core/entities";
import type { Store } from "../core/state";

export function stepBreak(store: Store, by: 1 | -1): void {
  const breaks = store.model.value?.view.breaks ?? [];
  if (breaks.length === 0) return;
  const at = breaks.findIndex((item) => breakEntity(item.id) === store.pin.peek());
  const next = at < 0 ? (by === 1 ? 0 : breaks.length - 1) : (at + by + breaks.length) % breaks.length;
  store.go(breakEntity(breaks[next].id));
}
