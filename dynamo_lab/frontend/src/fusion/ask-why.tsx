// Two operations, and why they are not fused: the answer, PyTorch's words, what would change it.
import type { Signal } from "@preact/signals";
import { useModel } from "../core/context";
import { opEntity } from "../core/entities";
import type { ScheduleView } from "../core/types.generated";
import { plural } from "../core/words";
import { Badge, Prose } from "../ui/bits";
import { around } from "../ui/paging";
import { GroupNames, OUTCOME_TONE } from "./names";
import { when } from "./rounds";
import { rowsOf, whyNot } from "./why-not";

/** Indices of two operations; -1 for none. */
export type Chosen = readonly [number, number];

function Choice({ label, schedule, value, choose }: { label: string; schedule: ScheduleView; value: number; choose(index: number): void }) {
  const { operations } = schedule;
  const { first, end } = around(operations.length, value);
  return (
    <label class="dl-check">
      {label}
      <select class="dl-select" value={value} onChange={(event) => choose(Number(event.currentTarget.value))}>
        <option value={-1}>choose{"\u2026"}</option>
        {operations.slice(first, end).map((item, i) => <option key={item.id} value={first + i}>{item.name} {item.buffers.join(" ")}: {[item.title, item.where].filter(Boolean).join(", ")}</option>)}
        {end - first < operations.length && <option disabled>{plural(operations.length - end + first, "operation")} more: choose one that is near, or click on a pair in Pairs</option>}
      </select>
    </label>
  );
}

function Answer({ schedule, chosen }: { schedule: ScheduleView; chosen: Chosen }) {
  const { view } = useModel();
  const answer = whyNot(schedule, ...chosen, view.fusions.unseen[schedule.compiler]);
  return (
    <div class="dl-why" role="status">
      <p class="dl-why-title"><Badge tone={answer.isFused ? "good" : "bad"}>{answer.isFused ? "fused" : "not fused"}</Badge> {answer.title}</p>
      {answer.sentences.map((text) => <p key={text}><Prose text={text} /></p>)}
      {answer.reasons.map((text) => <p key={text} class="dl-dim">PyTorch: {text}</p>)}
      {answer.changes.map((text) => <p key={text}><b>What would change it</b> <Prose text={text} /></p>)}
    </div>
  );
}

function Verdicts({ schedule, chosen }: { schedule: ScheduleView; chosen: Chosen }) {
  const rows = rowsOf(schedule, ...chosen);
  if (rows.length === 0) return null;
  return (
    <>
      <p class="dl-dim">Every verdict on a pair that held the two:</p>
      <ul class="dl-why-rows">
        {rows.map(({ producer, consumer, ruling }, i) => (
          <li key={i}>
            <span class="dl-dim">{when(ruling)}</span> <Badge tone={OUTCOME_TONE[ruling.outcome]}>{ruling.outcome}</Badge>{" "}
            <GroupNames schedule={schedule} group={producer} /> <span class="dl-dim">with</span> <GroupNames schedule={schedule} group={consumer} />
            {ruling.score && <span class="dl-dim"> {ruling.score}</span>}
          </li>
        ))}
      </ul>
    </>
  );
}

/** The question and its answer; as a strip below a picture, only once there are two. */
export function WhyNotPanel({ schedule, chosen, isWhole }: { schedule: ScheduleView; chosen: Signal<Chosen>; isWhole?: boolean }) {
  const [one, other] = chosen.value;
  const both = one >= 0 && other >= 0;
  if (!isWhole && !both) return null;
  return (
    <div class={`dl-why-panel${isWhole ? " dl-scroll" : ""}`} data-entity={both ? opEntity(schedule.operations[other].id) : undefined} data-own>
      <div class="dl-why-choices">
        <Choice label="Why not" schedule={schedule} value={one} choose={(index) => (chosen.value = [index, other])} />
        <Choice label="with" schedule={schedule} value={other} choose={(index) => (chosen.value = [one, index])} />
        {!isWhole && <button type="button" class="dl-icon" aria-label="Close the answer" onClick={() => (chosen.value = [-1, -1])}>{"\u2715"}</button>}
      </div>
      {both && <Answer schedule={schedule} chosen={chosen.value} />}
      {both && isWhole && <Verdicts schedule={schedule} chosen={chosen.value} />}
    </div>
  );
}
