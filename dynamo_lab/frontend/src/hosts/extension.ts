// JupyterLab's extension asks for what the margin of a cell's own editor is about.
import type { Store } from "../core/state";

const ASK = "dynamo-lab-ask";

export function followExtension(root: HTMLElement, store: Store): () => void {
  const asked = (event: Event): void => {
    const { go, hover } = ((event as CustomEvent).detail ?? {}) as { go?: unknown; hover?: unknown };
    if (typeof hover === "string") store.hover.value = hover;
    if (typeof go === "string") store.go(go);
  };
  root.addEventListener(ASK, asked);
  return () => root.removeEventListener(ASK, asked);
}
