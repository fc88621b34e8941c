// The part of packages.
import type { Part } from "../core/state";
import { Package } from "./packages";

export const packagesPart: Part = {
  tab: "package",
  Panel: Package,
  isThere: ({ model }) => (model.value?.view.packages.length ?? 0) > 0,
};
