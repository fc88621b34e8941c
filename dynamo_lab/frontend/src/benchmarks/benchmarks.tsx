// The benchmark: what may be said on top, then the ways, or kernel by kernel, or where it ran.
import type { ComponentChildren } from "preact";
import { useModel, useStore } from "../core/context";
import type { AgreementView, BenchView } from "../core/types.generated";
import { Empty, Fold } from "../ui/bits";
import { Table } from "../ui/copy/table";
import { ByHand } from "./by-hand";
import { Difference } from "./difference";
import { BenchKernels, Slowest } from "./kernels";
import { Measure } from "./measure";
import { BenchMemory } from "./memory";
import { Roofline } from "./roofline";
import { BENCH_MODES, benchmarksState, type BenchMode } from "./state";
import { Ways } from "./ways";
import { grouped } from "../core/words";

const NAMES: Readonly<Record<BenchMode, string>> = { ways: "Variants", kernels: "Kernel by kernel", memory: "Memory", code: "By hand", machine: "Machine" };

function Verdicts({ bench }: { bench: BenchView }) {
  const [first] = bench.kernels.programs;
  return (
    <ul class="dl-verdicts">
      {[bench.state, ...bench.doubts].filter(Boolean).map((text) => <li key={text} class="dl-tone-warning">{text}</li>)}
      {bench.verdicts.map(({ sentence, tone }) => <li key={sentence} class={`dl-tone-${tone}`}>{sentence}</li>)}
      {first?.slowest && <li><Slowest program={first} /></li>}
      {bench.changes && <li class="dl-dim">{bench.changes}</li>}
    </ul>
  );
}

function Agreement({ found }: { found: AgreementView }) {
  const head = <><b>{found.name}</b> ({found.phase}): <span class={found.verdict === "wrong" ? "dl-bad-text" : ""}>{found.sentence}</span></>;
  return (
    <Fold label={head}>
      <Table class="dl-totals dl-compared">
        <thead><tr><th scope="col">value</th><th scope="col">ULP</th><th scope="col">relative</th><th scope="col">ULP from float64</th><th scope="col">eager's</th><th scope="col" /></tr></thead>
        <tbody>
          {found.rows.map((row) => (
            <tr key={row.value} class={row.verdict === "wrong" ? "dl-bad-text" : ""}>
              <th scope="row">{row.value}</th><td>{row.ulp}</td><td>{row.relative}</td>
              <td class={row.is_closer ? "dl-good-text" : ""}>{row.error}</td><td>{row.eager_error}</td>
              <td>{[row.verdict, row.tolerance, row.reason, row.is_closer && "closer to float64 than eager"].filter(Boolean).join(", ")}</td>
            </tr>
          ))}
        </tbody>
      </Table>
      {found.left > 0 && <p class="dl-dim">and {grouped(found.left)} more, each no farther off</p>}
    </Fold>
  );
}

function Machine({ bench }: { bench: BenchView }) {
  return (
    <div class="dl-bench-body">
      <dl class="dl-facts">
        {[...bench.machine, ...(bench.created ? [["measured", bench.created] as const] : [])].map(([name, value]) => <><dt>{name}</dt><dd>{value}</dd></>)}
        {bench.ways.filter((way) => way.options).map((way) => <><dt>{way.name}</dt><dd>{way.options}</dd></>)}
      </dl>
    </div>
  );
}

function Shown({ bench, mode }: { bench: BenchView; mode: BenchMode }): ComponentChildren {
  if (mode === "kernels") return <BenchKernels programs={bench.kernels.programs} />;
  if (mode === "memory" && bench.memory) return <BenchMemory view={bench.memory} />;
  if (mode === "code") return <ByHand bench={bench} />;
  if (mode === "machine") return <Machine bench={bench} />;
  return (
    <div class="dl-bench-body">
      <Ways sections={bench.sections} />
      {bench.agreements.length > 0 && <h3>What each computes, against eager and float64</h3>}
      {bench.agreements.map((found) => <Agreement key={found.name + found.phase} found={found} />)}
    </div>
  );
}

export function Bench() {
  const store = useStore();
  const { bench, bisection } = useModel().view;
  if (!bench) {
    return (
      <div class="dl-scroll dl-bench">
        <Measure />
        {bisection ? <Difference found={bisection} /> : <Empty title="Nothing measured yet">Measuring compares eager PyTorch with compiled variants of your program: first what they compute, then how long they take, in all and each kernel, with your line.</Empty>}
      </div>
    );
  }
  const has: Partial<Record<BenchMode, boolean>> = {
    kernels: bench.kernels.programs.length > 0, memory: Boolean(bench.memory), code: bench.ways.some((way) => way.code),
  };
  const modes = BENCH_MODES.filter((mode) => has[mode] ?? true);
  const mode = modes.includes(benchmarksState(store).mode.value) ? benchmarksState(store).mode.value : "ways";
  return (
    <div class="dl-scroll dl-bench">
      {bisection && <Difference found={bisection} />}
      <Verdicts bench={bench} />
      <div class="dl-toolbar">
        <div class="dl-segments" role="group" aria-label="What to show">
          {modes.map((one) => <button key={one} type="button" aria-pressed={one === mode} onClick={() => (benchmarksState(store).mode.value = one)}>{NAMES[one]}</button>)}
        </div>
      </div>
      <Measure />
      <Shown bench={bench} mode={mode} />
    </div>
  );
}

/** How near the kernels come to what the machine can do. */
export function RooflineOfBench() {
  const { bench } = useModel().view;
  return <div class="dl-scroll dl-bench">{bench?.roofline && <Roofline view={bench.roofline} />}</div>;
}
