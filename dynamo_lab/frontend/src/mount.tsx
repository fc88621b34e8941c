// Puts the UI into an element; returns the clean-up.
import { render } from "preact";
import { App } from "./app";
import { MountedContext } from "./core/context";
import { followKeys } from "./core/keys";
import { followPointer } from "./core/pointer";
import type { DataSource } from "./core/source";
import type { Store } from "./core/state";
import { createStore } from "./core/store";
import { followTheme } from "./core/theme";
import { PARTS } from "./parts";
import { workAhead } from "./shell/ahead";

export function mount(root: HTMLElement, source: DataSource, host: "widget" | "page", follow?: (root: HTMLElement, store: Store) => () => void): () => void {
  root.classList.add("dynamo-lab", `dl-${host}`);
  root.dataset.lmSuppressShortcuts = "true"; // JupyterLab: leave our keys to us
  const store = createStore(source, PARTS);
  const cleanups = [
    followTheme(root, store.theme),
    followPointer(root, store),
    followKeys(root, store, host),
    workAhead(store),
    store.close,
    ...(follow ? [follow(root, store)] : []),
  ];
  render(
    <MountedContext.Provider value={{ store, host, root }}>
      <App />
    </MountedContext.Provider>,
    root,
  );
  return () => {
    render(null, root);
    for (const cleanup of cleanups) cleanup();
  };
}
