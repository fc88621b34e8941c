// Keys that work anywhere in the UI. None of them leaves it: in a notebook "b" inserts a cell.
import type { ShownGroup, Store } from "./state";

const SLIDER = "input[type=range]";

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches(`input:not(${SLIDER}), select, textarea`));
}

function focusSearch(root: HTMLElement): void {
  const box = root.querySelector<HTMLInputElement>(".dl-panel input[type=search]");
  box?.focus();
  box?.select();
}

/** A group's number shows it; the number again, its next view. */
function chooseNext(store: Store, group: ShownGroup): void {
  if (!group.isChosen) return store.setGroup(group);
  store.setTab(group.tabs[(group.tabs.indexOf(store.tab.value) + 1) % group.tabs.length]);
}

function handle(event: KeyboardEvent, root: HTMLElement, store: Store): boolean {
  const shown = store.parts.find((part) => part.tab === store.tab.value);
  if (shown?.onKey?.(event, store)) return true;
  const group = store.groups.value[Number(event.key) - 1];
  if (group) {
    chooseNext(store, group);
    return true;
  }
  switch (event.key) {
    case "/": focusSearch(root); return true;
    case "?": store.help.value = !store.help.value; return true;
    case "c": store.toggleCode(); return true;
    case "d": store.details.value = !store.details.value; return true;
    default: return store.parts.some((part) => part.onKeyAnywhere?.(event, store));
  }
}

function escape(event: KeyboardEvent, store: Store): void {
  if (store.help.value) store.help.value = false;
  else if (isTyping(event.target)) (event.target as HTMLElement).blur();
  else if (store.details.value) store.details.value = false;
  else if (store.pin.value) store.unpin();
  else store.parts.some((part) => part.onKeyAnywhere?.(event, store));
}

/**
 * On a page of our own the keys work without a focus; in a notebook only inside the view, which
 * therefore takes the focus wherever it is clicked.
 */
export function followKeys(root: HTMLElement, store: Store, host: "widget" | "page"): () => void {
  const scope: HTMLElement | Document = host === "page" ? root.ownerDocument : root;
  root.tabIndex = -1;
  const down = (event: Event): void => {
    event.stopPropagation();
    if (!(event instanceof KeyboardEvent)) return;
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") escape(event, store);
    else if (!isTyping(event.target) && handle(event, root, store)) event.preventDefault();
  };
  const stop = (event: Event): void => event.stopPropagation();
  scope.addEventListener("keydown", down);
  scope.addEventListener("keyup", stop);
  scope.addEventListener("keypress", stop);
  return () => {
    scope.removeEventListener("keydown", down);
    scope.removeEventListener("keyup", stop);
    scope.removeEventListener("keypress", stop);
  };
}
