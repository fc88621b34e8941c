// Keys that work anywhere in the UI. None of them leaves it: in a notebook "b" inserts a cell.
import type { Stop } from "./types.generated";
import type { Store } from "./store";

const SLIDER = "input[type=range]";

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches(`input:not(${SLIDER}), select, textarea`));
}

const MOVES: Readonly<Record<string, readonly [Stop, 1 | -1]>> = {
  ArrowRight: ["step", 1], ArrowLeft: ["step", -1], o: ["over", 1], O: ["over", -1], u: ["out", 1], U: ["out", -1],
  b: ["break", 1], B: ["break", -1], n: ["node", 1], N: ["node", -1], g: ["guard", 1], G: ["guard", -1],
  a: ["attempt", 1], A: ["attempt", -1],
};

/** The keys of the steps, while they are shown. The slider moves by arrows, Home and End itself. */
function handleSteps(event: KeyboardEvent, store: Store): boolean {
  const { playback } = store.model.value ?? {};
  if (!playback || store.tab.value !== "steps") return false;
  const onSlider = event.target instanceof Element && event.target.matches(SLIDER);
  if (onSlider && /^(Arrow|Home|End)/.test(event.key)) return false;
  const key = event.shiftKey && event.key.startsWith("Arrow") ? (event.key === "ArrowRight" ? "o" : "O") : event.key;
  if (key === "Home") store.play(0);
  else if (key === "End") store.play(playback.count - 1);
  else if (key in MOVES) store.move(...MOVES[key]);
  else return false;
  return true;
}

/** The keys of the passes, while they are shown. */
function handlePasses(event: KeyboardEvent, store: Store): boolean {
  if (store.tab.value !== "passes") return false;
  const by = ({ ArrowRight: 1, n: 1, ArrowLeft: -1, N: -1 } as const)[event.key];
  if (by === undefined) return false;
  store.stepPass(by);
  return true;
}

/** The keys of the lowering, while it is shown. */
function handleLowering(event: KeyboardEvent, store: Store): boolean {
  const by = ({ ArrowRight: 1, ArrowLeft: -1 } as const)[event.key];
  if (store.tab.value !== "lowering" || by === undefined) return false;
  store.stepLowering(by);
  return true;
}

function focusSearch(root: HTMLElement): void {
  const box = root.querySelector<HTMLInputElement>(".dl-panel input[type=search]");
  box?.focus();
  box?.select();
}

function handle(event: KeyboardEvent, root: HTMLElement, store: Store): boolean {
  if (handleSteps(event, store) || handlePasses(event, store) || handleLowering(event, store)) return true;
  const tab = store.tabs.value[Number(event.key) - 1];
  if (tab) {
    store.setTab(tab);
    return true;
  }
  switch (event.key) {
    case "b": store.stepBreak(1); return true;
    case "B": store.stepBreak(-1); return true;
    case "/": focusSearch(root); return true;
    case "?": store.help.value = !store.help.value; return true;
    default: return false;
  }
}

function escape(event: KeyboardEvent, store: Store): void {
  if (store.help.value) store.help.value = false;
  else if (isTyping(event.target)) (event.target as HTMLElement).blur();
  else store.unpin();
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
