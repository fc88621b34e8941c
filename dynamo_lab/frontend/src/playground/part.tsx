// The playground: the reader's text to change, lowered as one types; to read where no program lives.
import { useStore } from "../core/context";
import { offers } from "../core/source";
import type { Part } from "../core/state";
import type { GroundPart } from "./state";
import { Still } from "./still";

function Playground({ part }: { part: GroundPart }) {
  const { Playground: Live } = useStore().source;
  return Live ? <Live part={part} /> : <Still part={part} />;
}

export const playgroundPart: Part = {
  tab: "playground",
  Panel: () => <Playground part={useStore().isCodeShown.value ? "columns" : "all"} />,
  Beside: () => <Playground part="text" />,
  isThere: ({ source, model }) => (model.value?.view.kernels.kernels.length ?? 0) > 0 || (source.Playground !== undefined && offers(source, "lower")),
};
