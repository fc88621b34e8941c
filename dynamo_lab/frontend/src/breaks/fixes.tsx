// What can be tried against a break, and, where a kernel has the program, a button that tries it.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { useStore } from "../core/context";
import { NOTHING, type Ran } from "../core/recordings";
import type { BreakView, TrialOutcome } from "../core/types.generated";
import { Table } from "../ui/copy/table";
import { TryFix } from "../ui/runs/try-fix";

type Trial = Ran<TrialOutcome>;
type State = { readonly fix: string; readonly trial?: Trial; readonly error?: string };

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
  const busy = useSignal<string | null>(null);
  const state = useSignal<State | null>(null);
  if (item.fixes.length === 0) return null;
  const run = (fix: string): void => {
    const of = recordings.shown.peek();
    if (!runs || !of) return;
    busy.value = fix;
    state.value = null;
    runs.run("try_fix", of.label, { break: item.id, fix })
      .then((trial) => (state.value = { fix, trial }), (error: unknown) => (state.value = { fix, error: error instanceof Error ? error.message : String(error) }))
      .finally(() => (busy.value = null));
  };
  const entry = recordings.shown.value;
  const offered = runs?.ready.value && entry?.label === entry?.base;
  const open = (trial: Trial): void => {
    if (!entry) return;
    recordings.add(trial, { base: entry.base, fix: trial.outcome.fix, asked: NOTHING });
    recordings.show(trial.label);
  };
  const { trial, error, fix } = state.value ?? {};
  return (
    <details class="dl-fold dl-fixes" data-own open={offered}>
      <summary>What can be tried</summary>
      {!offered && <p class="dl-dim">Where the program still lives: <code>rec.breaks[{item.id}].try_fix()</code></p>}
      <ul>
        {item.fixes.map((one) => (
          <TryFix key={one.name} fix={one} title="Runs your program twice more, on copies" busy={busy.value} onTry={offered ? () => run(one.name) : null}>
            {fix === one.name && trial && <Outcome trial={trial} show={() => open(trial)} />}
            {fix === one.name && error && <p class="dl-bad-text">{error}</p>}
          </TryFix>
        ))}
      </ul>
    </details>
  );
}
