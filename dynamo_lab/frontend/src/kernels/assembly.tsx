// What a kernel becomes below its code, one level at a time, each line in the colour of the reader's.
import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { useModel, usePart, useStore } from "../core/context";
import { offers } from "../core/source";
import type { AssemblyView, KernelView } from "../core/types.generated";
import { loweringState } from "../lowering/state";
import { LinkedCode, statementBelow } from "./code";
import { messageOf } from "../core/words";

/** What the reader chose, which stays while kernels change; and what the live kernel assembled. */
export interface AssemblyState {
  readonly open: Signal<boolean>;
  readonly level: Signal<string>;
  readonly target: Signal<string>;
  readonly found: Signal<readonly AssemblyView[]>;
}

export function useAssembly(): AssemblyState {
  const model = useModel();
  const found = useSignal<readonly AssemblyView[]>([]);
  // In another recording the same number is another kernel.
  useEffect(() => void (found.value = []), [model]);
  return { open: useSignal(model.view.kernels.assemblies.length > 0), level: useSignal(""), target: useSignal(""), found };
}

const HOW = "This page holds no assembly of it. To keep it in the page: dynamo_lab.lower(fn, *args, target=\u2026, assembly=True), or dynamo-lab explore SCRIPT --assembly.";

/** The assembly of a kernel: what was stored, else what the live kernel is asked for. */
function useFound(kernel: KernelView, state: AssemblyState): { shown: AssemblyView | undefined; error: string } {
  const { ask } = useStore().source;
  const { assemblies } = useModel().view.kernels;
  const error = useSignal("");
  const target = kernel.language === "triton" ? state.target.value : "";
  const known = [...assemblies, ...state.found.value].filter((one) => one.kernel === kernel.id);
  const shown = target === "" ? known[0] : known.find((one) => one.target === target);
  useEffect(() => {
    error.value = "";
    if (shown) return;
    if (!ask) return void (error.value = HOW);
    let isWanted = true;
    ask("assembly", { kernel: kernel.id, target })
      .then((answer) => (state.found.value = [...state.found.peek(), answer]))
      .catch((reason: unknown) => isWanted && (error.value = messageOf(reason)));
    return () => void (isWanted = false);
  }, [kernel, target, shown === undefined]);
  return { shown, error: error.value };
}

function Targets({ kernel, state, shown }: { kernel: KernelView; state: AssemblyState; shown: AssemblyView | undefined }) {
  const { gpus } = useModel().view.kernels;
  if (!useStore().source.ask || kernel.language !== "triton") return shown ? <span class="dl-dim">for {shown.target}</span> : null;
  return (
    <select class="dl-select" aria-label="Target" value={state.target.value || shown?.target} onChange={(event) => (state.target.value = event.currentTarget.value)}>
      {gpus.map((name) => <option key={name} value={name}>{name}</option>)}
    </select>
  );
}

/** PTX and SASS are of Triton's kernels: the way there, where the program can be lowered again. */
function ForGpu() {
  const { source } = useStore();
  const { isPanelOpen } = usePart(loweringState);
  if (!source.runs || !offers(source, "lower")) return null;
  return <button type="button" class="dl-link" title="Choose a GPU as target: it need not be there" onClick={() => (isPanelOpen.value = true)}>PTX, SASS: lower again for a GPU</button>;
}

/** What a block uses, on a line that opens to all of it. */
function Resources({ shown }: { shown: AssemblyView }) {
  const brief = shown.resources.join(" \u00b7 ") || shown.chosen;
  return (
    <details class="dl-assembly-note">
      <summary title={brief}>{brief}</summary>
      <p>{shown.resources.join(" \u00b7 ")}</p>
      <p class="dl-dim">{shown.chosen}</p>
    </details>
  );
}

export function Assembly({ kernel, state }: { kernel: KernelView; state: AssemblyState }) {
  const { shown, error } = useFound(kernel, state);
  const levels = shown?.levels ?? [];
  const level = levels.find((one) => one.name === state.level.value) ?? levels.at(-1);
  const of = useMemo(() => statementBelow(kernel, level?.lines ?? []), [kernel, level]);
  return (
    <section class="dl-assembly" aria-label="Assembly">
      <div class="dl-toolbar dl-assembly-head">
        {levels.length > 1 && (
          <div class="dl-segments" role="group" aria-label="Level">
            {levels.map(({ name }) => <button key={name} type="button" aria-pressed={name === level?.name} onClick={() => (state.level.value = name)}>{name}</button>)}
          </div>
        )}
        {levels.length === 1 && <strong>{level?.name}</strong>}
        <Targets kernel={kernel} state={state} shown={shown} />
        {kernel.language === "cpp" && <ForGpu />}
      </div>
      {error && <p class="dl-assembly-note" role="status">{error}</p>}
      {!shown && !error && <p class="dl-assembly-note dl-dim" role="status">Assembling it. Nothing runs.</p>}
      {shown && <Resources shown={shown} />}
      {level && <LinkedCode key={level.name} kernel={kernel} text={level.text} language="" label={`${level.name} of ${kernel.name}`} of={of} first={1} />}
    </section>
  );
}
