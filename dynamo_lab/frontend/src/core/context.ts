// The store of this mount, for every component in it.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Model } from "./model";
import type { Store } from "./state";

export interface Mounted {
  readonly store: Store;
  readonly host: "widget" | "page";
  /** What it is mounted in. */
  readonly root: HTMLElement;
}

export const MountedContext = createContext<Mounted | null>(null);

export function useMounted(): Mounted {
  const mounted = useContext(MountedContext);
  if (!mounted) throw new Error("used outside of a mount");
  return mounted;
}

export const useStore = (): Store => useMounted().store;

/** The state of a part, which it made with `stateOf`. */
export const usePart = <State>(of: (store: Store) => State): State => of(useStore());

/** The model, for parts that are drawn only when there is one. */
export function useModel(): Model {
  const model = useStore().model.value;
  if (!model) throw new Error("drawn before there is a view");
  return model;
}
