// Fills the notebook's panel, or the window, with the view: in the browser's top layer, which no
// scrolled or clipped output around it can cut. It stays where it is in the document, so nothing is drawn anew.
import { type Signal, signal } from "@preact/signals";
import type { Store } from "../core/state";
import { stateOf } from "../core/state";

/** What a notebook is shown in: JupyterLab's and Notebook 7's panel. */
const PANEL = ".jp-NotebookPanel, .jp-MainAreaWidget";

export interface MaximiseState {
  readonly isOn: Signal<boolean>;
  toggle(root: HTMLElement): void;
  leave(): void;
}

/** Keeps an element on the room of another until it ends. */
function follow(root: HTMLElement, panel: Element): () => void {
  const place = (): void => {
    const { left, top, width, height } = panel.getBoundingClientRect();
    Object.assign(root.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
  };
  place();
  const observer = new ResizeObserver(place);
  observer.observe(panel);
  addEventListener("resize", place);
  return () => {
    observer.disconnect();
    removeEventListener("resize", place);
    for (const name of ["left", "top", "width", "height"]) root.style.removeProperty(name);
  };
}

export const maximiseState = stateOf((store: Store): MaximiseState => {
  const isOn = signal(false);
  let end: () => void = () => undefined;
  const leave = (): void => {
    end();
    end = () => undefined;
    isOn.value = false;
  };
  const enter = (root: HTMLElement): void => {
    const around = root.parentElement;
    const before = around?.style.minHeight ?? "";
    if (around) around.style.minHeight = `${around.offsetHeight}px`; // the notebook below keeps its place
    const stop = follow(root, root.closest(PANEL) ?? root.ownerDocument.documentElement);
    root.classList.add("is-maximised");
    root.popover = "manual";
    root.showPopover?.();
    isOn.value = true;
    end = () => {
      root.hidePopover?.();
      root.removeAttribute("popover");
      root.classList.remove("is-maximised");
      stop();
      if (around) around.style.minHeight = before;
    };
  };
  store.atEnd(leave);
  return { isOn, leave, toggle: (root) => (isOn.value ? leave() : enter(root)) };
});
