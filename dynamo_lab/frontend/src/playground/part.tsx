// The playground: the reader's text to change, lowered as one types; to read where no program lives.
import { useStore } from "../core/context";
import { offers } from "../core/source";
import type { Part } from "../core/state";
import { Still } from "./still";

function Playground() {
  const { playground } = useStore().source;
  return playground ? <playground.Panel /> : <Still />;
}

export const playgroundPart: Part = {
  tab: "playground",
  Panel: Playground,
  beside: ({ source: { playground, recordings } }) => (playground?.hasText(recordings.shown.value?.label ?? "") ? playground.Text : undefined),
  isThere: ({ source, model }) => (model.value?.view.kernels.kernels.length ?? 0) > 0 || (source.playground !== undefined && offers(source, "lower")),
};
