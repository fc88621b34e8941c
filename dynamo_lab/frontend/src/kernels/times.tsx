// Above the kernels: which is the slowest and whose line it is, or a button that times them.
import { Slowest } from "../benchmarks/kernels";
import { benchmarksState } from "../benchmarks/state";
import { useModel, useStore } from "../core/context";
import type { BenchView } from "../core/types.generated";
import { Fold, GoTab, Prose } from "../ui/bits";
import { HowFar, type Measuring, StopButton, useMeasuring } from "../ui/runs/measuring";
import { kernelsState } from "./state";
import { isTimed, whyNotTimed } from "./timing";

/** What the times say, where kernels were timed. */
function Told({ bench }: { bench: BenchView }) {
  const store = useStore();
  const program = bench.kernels.programs.at(0);
  const open = (): void => {
    benchmarksState(store).mode.value = "kernels";
    store.setTab("bench");
  };
  const doubts = [bench.state, ...bench.doubts, ...(program?.remarks ?? [])].filter(Boolean);
  return (
    <>
      <span>
        {program?.slowest ? <Slowest program={program} />
          : bench.kernels.kernels.length > 1 ? "The times do not tell which of the kernels is the slowest." : "One kernel was timed."}
      </span>
      {program && <button type="button" class="dl-link" onClick={open}>Kernel by kernel</button>}
      {doubts.length > 0 && <Fold label="How far these times can be trusted"><ul class="dl-plain">{doubts.map((text) => <li key={text}><Prose text={text} /></li>)}</ul></Fold>}
    </>
  );
}

function TimeButton({ measuring }: { measuring: Measuring }) {
  const store = useStore();
  /** The reader asked for the slowest. */
  const show = (): void => {
    const slowest = store.model.value?.view.bench?.kernels.programs[0]?.slowest?.kernels[0];
    if (slowest) kernelsState(store).kernel.value = { kind: "kernel", id: slowest.id };
  };
  if (measuring.state !== "") return <StopButton of={measuring} />;
  return (
    <>
      <button type="button" class="dl-button" onClick={() => measuring.start("time_kernels", {}, show)}>Time the kernels</button>
      <span class="dl-dim">to find the slowest and its line, or the whole program: <GoTab tab="bench" /></span>
    </>
  );
}

export function KernelTimes() {
  const { source } = useStore();
  const { view } = useModel();
  const measuring = useMeasuring();
  const problem = view.bench?.kernels.programs.at(0)?.problem;
  const has = isTimed(view);
  const why = has ? "" : whyNotTimed(source, view);
  return (
    <div class="dl-toolbar dl-kernel-times" data-own>
      {measuring && !has && !why && <TimeButton measuring={measuring} />}
      {measuring && <HowFar of={measuring} />}
      {why && <span class="dl-dim">Not timed. <Prose text={why} /></span>}
      <div class="dl-kernel-told" role="status">
        {view.bench && has && <Told bench={view.bench} />}
        {!has && problem && <span class="dl-tone-warning"><Prose text={problem} /></span>}
      </div>
    </div>
  );
}
