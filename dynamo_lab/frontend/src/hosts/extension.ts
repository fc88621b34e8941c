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
const HANDED = "dynamoLabHanded";

/**
 * Shows the view in a tab of JupyterLab, at an address in it; false where no extension does.
 *
 * The view in the tab is a module of its own, and drawn at a time of its own: the page hands it the address.
 */
export async function openTab(root: HTMLElement, address: string): Promise<boolean> {
  const detail: { opened?: Promise<boolean> } = {};
  document.body.dataset[HANDED] = `${root.dataset.uid} ${address}`;
  root.dispatchEvent(new CustomEvent(OPEN, { bubbles: true, detail }));
  const isOpen = (await detail.opened) ?? false;
  if (!isOpen) delete document.body.dataset[HANDED];
  return isOpen;
}

/** The address that a view of this recording was handed; empty for none. */
export function handedTo(uid: string): string {
  const [of, address] = (document.body.dataset[HANDED] ?? "").split(" ");
  if (of !== uid || !address) return "";
  delete document.body.dataset[HANDED];
  return address;
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
