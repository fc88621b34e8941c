// The part of autograd: what the forward keeps for the backward.
import type { Part } from "../core/state";
import { Autograd } from "./autograd";
import { autogradState } from "./state";

export const autogradPart: Part = {
  tab: "autograd",
  Panel: Autograd,
  isThere: ({ model }) => (model.value?.view.partitions ?? []).some((part) => part.backward !== null || part.handled.length > 0),
  follow: (store) => void (autogradState(store).partition.value = null),
};
