// JupyterLab's extension: it asks for what the margin of a cell is about, and is asked to change a cell.
import type { Cells } from "../core/source";
import type { Store } from "../core/state";

const ASK = "dynamo-lab-ask";
const CELLS = "dynamo-lab-cells"; // answered in ../../labextension/src/edits.ts

/** The cells of the notebook that an element stands in; null where no extension offers them. */
export function cellsAround(element: Element): Cells | null {
  const detail: { cells?: Cells } = {};
  element.dispatchEvent(new CustomEvent(CELLS, { bubbles: true, detail }));
  return detail.cells ?? null;
}

export function followExtension(root: HTMLElement, store: Store): () => void {
  const asked = (event: Event): void => {
    const { go, hover } = ((event as CustomEvent).detail ?? {}) as { go?: unknown; hover?: unknown };
    if (typeof hover === "string") store.hover.value = hover;
    if (typeof go === "string") store.go(go);
  };
  root.addEventListener(ASK, asked);
  return () => root.removeEventListener(ASK, asked);
}
