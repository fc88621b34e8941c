// The part of the backend lab: its operators are nodes, which the graphs' part owns.
import { carry } from "../core/carry";
import type { Part } from "../core/state";
import { Compiler } from "./compiler";
import { itemEntity, nextItem, operatorItems, shownItem } from "./items";
import { compilerState } from "./state";

export const compilerPart: Part = {
  tab: "compiler",
  Panel: Compiler,
  isThere: ({ model }) => (model.value?.view.compiler.graphs.length ?? 0) > 0,
  follow: (store, from, to) => {
    const { operator } = compilerState(store);
    operator.value = carry(store.parts, operator.peek(), from, to);
  },
  onKey: ({ key }, store) => {
    const found = store.model.value?.view.compiler;
    if (!found || (key !== "ArrowRight" && key !== "ArrowLeft")) return false;
    const { operator, query } = compilerState(store);
    const items = operatorItems(found, query.peek());
    if (items.length > 0) operator.value = itemEntity(items[nextItem(items, shownItem(items, operator.peek()), key === "ArrowRight" ? 1 : -1)]);
    return true;
  },
};
