// The same program under the other compiler, its kernels beside these: one click, in Compiler and Kernels.
import { useModel, usePart, useStore } from "../core/context";
import { RunButton } from "../ui/runs/run-button";
import { compareState } from "./state";

const TITLE = "Compiles and runs your program once more, on the same arguments: kernels that do the same work stand beside each other, and a table has what each compiler did that the other did not";

/** Nothing where neither of the two compiled it, or where no kernel has the program. */
export function OtherCompiler() {
  const { source, setTab } = useStore();
  const { view } = useModel();
  const { isBeside, other } = usePart(compareState);
  const compiler = view.fusions.schedules[0]?.compiler;
  const shown = source.recordings.shown.value;
  if (!compiler || !shown) return null;
  const name = compiler === "lab" ? "Inductor" : "lab";
  const compare = (label: string): void => {
    other.value = label;
    isBeside.value = true;
    setTab("kernels");
  };
  const made = source.recordings.entries.value.find(({ label }) => source.recordings.between(shown.label, label)?.compilers);
  if (made) return <button type="button" class="dl-button" data-own title={TITLE} onClick={() => compare(made.label)}>Beside {name}</button>;
  return <RunButton what="beside" label={`Beside ${name}`} title={TITLE} busy="Compiling" show={compare} />;
}
