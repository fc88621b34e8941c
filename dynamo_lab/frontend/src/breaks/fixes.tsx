// What can be tried against a break, and, where a kernel has the program, a button that tries it.
import { useEffect, useRef } from "preact/hooks";
import { useStore } from "../core/context";
import type { Ran } from "../core/recordings";
import type { BreakView, TrialOutcome } from "../core/types.generated";
import { Table } from "../ui/copy/table";
import { Running } from "../ui/busy";
import { TryFix } from "../ui/runs/try-fix";
import { useTrying } from "../ui/runs/trying";

type Trial = Ran<TrialOutcome>;

function Outcome({ trial, show }: { trial: Trial; show: () => void }) {
  const { counts, numbers, same, failure, new_breaks } = trial.outcome;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.scrollIntoView({ block: "nearest" }), []);
  return (
    <div class="dl-trial" ref={box}>
      <Table class="dl-trial-counts">
        <thead><tr><th />{counts.map(([name]) => <th key={name} scope="col">{name}</th>)}</tr></thead>
        <tbody>
          <tr><th scope="row">before</th>{counts.map(([name, a]) => <td key={name}>{a}</td>)}</tr>
          <tr><th scope="row">with the fix</th>{counts.map(([name, a, b]) => <td key={name} class={a === b ? "" : "is-changed"}>{b}</td>)}</tr>
        </tbody>
      </Table>
      <p class={same === true ? "dl-good-text" : same === false ? "dl-bad-text" : ""}>{numbers}</p>
      {new_breaks.map((text, i) => <p key={i}>New break: {text}</p>)}
      {failure && <pre class="dl-failure">{failure}</pre>}
      <button type="button" class="dl-button" onClick={show}>Open this recording</button>
    </div>
  );
}

export function Fixes({ item }: { item: BreakView }) {
  const { runs, recordings } = useStore().source;
  const { busy, tried, attempt, open } = useTrying("try_fix");
  if (item.fixes.length === 0) return null;
  const entry = recordings.shown.value;
  const offered = entry !== null && runs?.ready.value && entry.label === entry.base;
  const { trial, error, fix } = tried.value ?? {};
  return (
    <details class="dl-fold dl-fixes" data-own open={offered}>
      <summary>What can be tried</summary>
      {!offered && <p class="dl-dim">Where the program still lives: <code>rec.breaks[{item.id}].try_fix()</code></p>}
      <ul>
        {item.fixes.map((one) => (
          <TryFix key={one.name} fix={one} title="Runs your program twice more, on copies" busy={busy.value} onTry={offered ? () => attempt(entry.label, one.name, { break: item.id }) : null}>
            {busy.value === one.name && <Running what="Running your program without and with it: the kernel is busy meanwhile" />}
            {fix === one.name && trial && <Outcome trial={trial} show={() => entry && open(trial, entry.base)} />}
            {fix === one.name && error && <p class="dl-bad-text">{error}</p>}
          </TryFix>
        ))}
      </ul>
    </details>
  );
}
