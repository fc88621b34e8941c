// Operations and groups of a schedule by name, and the tones of verdicts.
import { opEntity } from "../core/entities";
import type { ScheduleView } from "../core/types.generated";

export const OUTCOME_TONE: Readonly<Record<string, string>> = { fused: "good", refused: "bad", possible: "grey" };

const FEW_NAMES = 4;

/** An operation by name, which leads to it. */
function OpName({ schedule, index }: { schedule: ScheduleView; index: number }) {
  const item = schedule.operations[index];
  return <span class="dl-ref" data-go={opEntity(item.id)} title={[item.title, item.loops].filter(Boolean).join(", ")}>{item.name}</span>;
}

/** The operations of a group, each a link; of many the first ones. Told is what one computes, and the reader's line. */
export function GroupNames({ schedule, group, isTold }: { schedule: ScheduleView; group: number; isTold?: boolean }) {
  const { operations } = schedule.groups[group];
  const { title, where } = schedule.operations[operations[0]];
  const told = isTold && operations.length === 1 ? [title, where].filter(Boolean).join(", ") : "";
  return (
    <span class="dl-group-names">
      {operations.slice(0, FEW_NAMES).map((index, i) => <span key={index}>{i > 0 && " + "}<OpName schedule={schedule} index={index} /></span>)}
      {told && <span class="dl-dim"> {told}</span>}
      {operations.length > FEW_NAMES && <span class="dl-dim"> + {operations.length - FEW_NAMES} more</span>}
    </span>
  );
}
