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

/** It writes its settings on the page, in every host that it runs in. */
export const hasExtension = (): boolean => document.body.dataset.dynamoLabTheme !== undefined;

const OPEN = "dynamo-lab-open"; // answered in ../../labextension/src/index.ts

/** Shows the view in a tab of JupyterLab; false where no extension does. */
export async function openTab(root: Element): Promise<boolean> {
  const detail: { opened?: Promise<boolean> } = {};
  root.dispatchEvent(new CustomEvent(OPEN, { bubbles: true, detail }));
  return (await detail.opened) ?? false;
}

export function followExtension(root: HTMLElement, store: Store): () => void {
  const asked = (event: Event): void => {
    const { go, hover } = ((event as CustomEvent).detail ?? {}) as { go?: unknown; hover?: unknown };
    if (typeof hover === "string") store.hover.value = hover;
    if (typeof go === "string") store.go(go, true);
  };
  root.addEventListener(ASK, asked);
  return () => root.removeEventListener(ASK, asked);
}
