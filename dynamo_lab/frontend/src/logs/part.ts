// The part of what PyTorch logged in words.
import type { Part } from "../core/state";
import { Logs } from "./logs";

export const logsPart: Part = {
  tab: "logs",
  Panel: Logs,
  isThere: (store) => (store.model.value?.view.logs.records.length ?? 0) > 0,
  count: (view) => view.logs.records.length,
};
