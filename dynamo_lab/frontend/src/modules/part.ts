// The part of the reader's modules. Their boxes in a graph are entities of the graphs' part.
import type { Part } from "../core/state";
import { Modules } from "./modules";
import { modulesState } from "./state";

export const modulesPart: Part = {
  tab: "modules",
  Panel: Modules,
  isEmpty: (view) => view.modules.rows.length === 0,
  follow: (store) => modulesState(store).reset(),
  onKey: ({ key }, store) => {
    if (key !== "ArrowRight" && key !== "ArrowLeft") return false;
    const { rows, chosen, isOpen, toggle } = modulesState(store);
    const at = rows.peek().find((one) => one.key === chosen.peek());
    if (!at || at.row.children.length === 0 || isOpen(at.key) === (key === "ArrowRight")) return false;
    toggle(at.key);
    return true;
  },
};
