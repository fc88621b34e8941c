// The loops of a kernel as the reader says them: their order, tiles and unrolling.
import type { Signal } from "@preact/signals";
import type { StageKernel, StageTurns } from "../core/types.generated";
import { type Change, Refusal } from "./change";
import { moved, plannedLoops } from "./items";
import type { GraphChanges } from "./state";

interface LoopsProps {
  readonly kernel: StageKernel;
  readonly plan: Signal<readonly StageTurns[] | null>;
  readonly changes: GraphChanges;
  readonly change: Change;
}

export function LoopPlan({ kernel, plan, changes, change }: LoopsProps) {
  const turns = plan.value ?? kernel.turns;
  const busy = changes.busy.value;
  const send = (asked: ReturnType<typeof plannedLoops> | null): void => void change({ what: "loops", kernel: kernel.name, plan: asked }).then((found) => {
    if (found?.verdict === "right") plan.value = null;
  });
  const put = (at: number, part: Partial<StageTurns>): void => void (plan.value = turns.map((one, i) => (i === at ? { ...one, ...part } : one)));
  const number = (at: number, what: "tile" | "unroll") => (
    <input
      type="number" class="dl-select" min={0} placeholder="no" aria-label={`${what} ${turns[at].name}`} value={turns[at][what] || ""}
      onInput={(event) => put(at, { [what]: Math.max(0, Math.trunc(event.currentTarget.valueAsNumber) || 0) })}
    />
  );
  return (
    <div class="dl-stage-loops" data-own data-lm-suppress-shortcuts="true">
      <table>
        <thead><tr><th scope="col">loop, outermost first</th><th scope="col" title="So many turns are run before the next turn of a loop outside of it">tile</th><th scope="col" title="So many turns are written one after the other">unroll</th></tr></thead>
        <tbody>
          {turns.map((one, at) => (
            <tr key={one.name}>
              <td>
                <button type="button" class="dl-button" aria-label={`${one.name} further out`} disabled={moved(turns, at) === turns} onClick={() => (plan.value = moved(turns, at))}>{"\u2191"}</button>{" "}
                <code>{one.name}</code> <span class="dl-dim">{one.reduces ? "reduces " : ""}{one.size}</span>
              </td>
              <td>{number(at, "tile")}</td>
              <td>{number(at, "unroll")}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <div class="dl-toolbar">
        <button type="button" class="dl-button dl-edit-run" disabled={busy} onClick={() => send(plannedLoops(turns))}>{busy ? "Trying\u2026" : "Try"}</button>
        {kernel.is_tuned && <button type="button" class="dl-button" disabled={busy} title="The loops that the printer chooses by itself" onClick={() => send(null)}>The printer's</button>}
        <button type="button" class="dl-button" disabled={busy} onClick={() => (plan.value = null)}>Cancel</button>
      </div>
      <Refusal changes={changes} of={`loops ${kernel.name}`} />
    </div>
  );
}
