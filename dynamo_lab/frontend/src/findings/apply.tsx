// Applies the remedy of a finding to the program that still lives, and shows what that changed.
import { useSignal } from "@preact/signals";
import { useStore } from "../core/context";
import { NOTHING, type Ran } from "../core/recordings";
import type { AppliedOutcome } from "../core/types.generated";
import { Running } from "../ui/busy";
import { Table } from "../ui/copy/table";
import { messageOf } from "../core/words";

interface State {
  readonly busy?: boolean;
  readonly ran?: Ran<AppliedOutcome>;
  readonly error?: string;
}

const TONES: Readonly<Record<AppliedOutcome["verdict"], string>> = { helped: "dl-good-text", hurt: "dl-bad-text", "no difference": "", "not known": "" };

function Outcome({ outcome, show }: { outcome: AppliedOutcome; show: () => void }) {
  return (
    <div class="dl-trial">
      <p class={TONES[outcome.verdict]}>{outcome.sentence}</p>
      <p class={outcome.same === false ? "dl-bad-text" : ""}>{outcome.numbers}</p>
      <Table class="dl-trial-counts">
        <thead><tr><th /><th scope="col">before</th><th scope="col">with the change</th></tr></thead>
        <tbody>
          {outcome.rows.map(([name, a, b]) => <tr key={name}><th scope="row">{name}</th><td>{a}</td><td class={a === b ? "" : "is-changed"}>{b}</td></tr>)}
        </tbody>
      </Table>
      {outcome.new_breaks.map((text, i) => <p key={i}>New break: {text}</p>)}
      {outcome.failure && <pre class="dl-failure">{outcome.failure}</pre>}
      <button type="button" class="dl-button" onClick={show}>Open this recording</button>
    </div>
  );
}

/** Without ids, all remedies that are safe are applied together. */
export function Apply({ ids, how, label = "Apply and measure" }: { ids: readonly number[]; how: string; label?: string }) {
  const { runs, recordings } = useStore().source;
  const state = useSignal<State>({});
  const entry = recordings.shown.value;
  if (!runs?.ready.value || !entry || entry.label !== entry.base) {
    return <p class="dl-dim">Where the program still lives: <code>{how}</code></p>;
  }
  const run = (): void => {
    state.value = { busy: true };
    runs.run("apply", entry.label, { findings: ids }).then(
      (ran) => (state.value = { ran }),
      (error: unknown) => (state.value = { error: messageOf(error) }),
    );
  };
  const open = (ran: Ran<AppliedOutcome>): void => {
    recordings.add(ran, { base: entry.base, fix: ran.label.replace(/^with /, ""), asked: NOTHING });
    recordings.show(ran.label);
  };
  const { busy, ran, error } = state.value;
  return (
    <div class="dl-finding-apply">
      <button type="button" class="dl-button" title="Runs your program again without and with the change, on copies" disabled={busy} onClick={run}>
        {busy ? "Applying\u2026" : label}
      </button>
      <div role="status">
        {busy && <Running what="Running your program without and with the change" stopping="Stops once what runs now has ended" />}
        {ran && <Outcome outcome={ran.outcome} show={() => open(ran)} />}
        {error && <p class="dl-bad-text">{error}</p>}
      </div>
    </div>
  );
}

export function ApplyAll() {
  return <Apply ids={[]} how="rec.apply_findings()" label="Apply all that are safe, together" />;
}
