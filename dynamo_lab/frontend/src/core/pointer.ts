// Hovering and clicking, once for the whole UI: whatever bears data-entity lights its kin under
// the pointer and is pinned by a click; whatever bears data-go leads to that entity.
import type { Store } from "./state";

function closest(target: EventTarget | null, selector: string): Element | null {
  return target instanceof Element ? target.closest(selector) : null;
}

function selectsText(root: HTMLElement): boolean {
  const selection = root.ownerDocument.getSelection();
  return !!selection && !selection.isCollapsed && root.contains(selection.anchorNode);
}

/** A finger that leaves has only been lifted: what it pointed at is still meant. */
export const isFinger = ({ pointerType }: PointerEvent): boolean => pointerType === "touch";

const ENDS = ["pointerup", "pointercancel", "pointerleave"] as const;

export function followPointer(root: HTMLElement, store: Store): () => void {
  // Focus that the pointer brings is no hover: what is lit would change, and with it the element under the press.
  let isPressed = false;
  const press = (): void => void (isPressed = true);
  const release = (): void => void (isPressed = false);
  const over = (event: Event): void => {
    if (event.type === "focusin" && isPressed) return;
    const found = closest(event.target, "[data-entity], [data-go]");
    store.hover.value = found?.getAttribute("data-go") ?? found?.getAttribute("data-entity") ?? "";
  };
  const out = (): void => {
    store.hover.value = "";
  };
  const click = (event: Event): void => {
    // A button inside a card does its own work (data-own); pinning the card too would surprise.
    const found = closest(event.target, "[data-entity], [data-go], [data-own]");
    if (!found || found.hasAttribute("data-own") || selectsText(root)) return;
    const goal = found.getAttribute("data-go");
    if (goal !== null) store.go(goal);
    else store.togglePin(found.getAttribute("data-entity") ?? "");
  };
  root.addEventListener("pointerover", over);
  root.addEventListener("focusin", over);
  root.addEventListener("pointerleave", out);
  root.addEventListener("click", click);
  root.addEventListener("pointerdown", press, true);
  for (const end of ENDS) root.addEventListener(end, release, true);
  return () => {
    root.removeEventListener("pointerover", over);
    root.removeEventListener("focusin", over);
    root.removeEventListener("pointerleave", out);
    root.removeEventListener("click", click);
    root.removeEventListener("pointerdown", press, true);
    for (const end of ENDS) root.removeEventListener(end, release, true);
  };
}
