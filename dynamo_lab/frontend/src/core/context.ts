// The store and the layout client of this mount, for every component in it.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { LayoutClient } from "../layout/client";
import type { Model, Store } from "./store";

export interface Mounted {
  readonly store: Store;
  readonly layout: LayoutClient;
  readonly host: "widget" | "page";
}

export const MountedContext = createContext<Mounted | null>(null);

export function useMounted(): Mounted {
  const mounted = useContext(MountedContext);
  if (!mounted) throw new Error("used outside of a mount");
  return mounted;
}

export const useStore = (): Store => useMounted().store;

/** The model, for parts that are drawn only when there is one. */
export function useModel(): Model {
  const model = useStore().model.value;
  if (!model) throw new Error("drawn before there is a view");
  return model;
}
