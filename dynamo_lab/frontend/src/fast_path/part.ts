// The part of the fast path: which transformer modules took it.
import type { Part } from "../core/state";
import { FastPath } from "./fast_path";

export const fastPathPart: Part = {
  tab: "fast_path",
  Panel: FastPath,
  isThere: ({ model }) => (model.value?.view.fast_paths.length ?? 0) > 0,
  count: (view) => view.fast_paths.reduce((sum, row) => sum + row.count, 0),
};
