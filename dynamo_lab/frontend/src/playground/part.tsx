// The playground: the reader's text to change, lowered as one types; to read where no program lives.
import { useStore } from "../core/context";
import { offers } from "../core/source";
import type { Part } from "../core/state";
import { Still } from "./still";

function Playground() {
  const { source } = useStore();
  const { Playground: Live } = source;
  return Live ? <Live /> : <Still />;
}

export const playgroundPart: Part = {
  tab: "playground",
  Panel: Playground,
  isThere: ({ source, model }) => (model.value?.view.kernels.kernels.length ?? 0) > 0 || (source.Playground !== undefined && offers(source, "lower")),
};
