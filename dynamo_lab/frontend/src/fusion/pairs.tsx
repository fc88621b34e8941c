// Every pair that was considered, round by round: verdict, score, and why not.
import { type Signal, useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { opEntity } from "../core/entities";
import type { ScheduleView } from "../core/types.generated";
import { plural } from "../core/words";
import { Badge, Empty, Prose } from "../ui/bits";
import { VirtualList } from "../ui/virtual-list";
import { type Chosen, WhyNotPanel } from "./ask-why";
import { GroupNames, OUTCOME_TONE } from "./names";
import { type Pair, pairsOf, when } from "./rounds";
import { filler } from "./why-not";

function Row({ schedule, pair }: { schedule: ScheduleView; pair: Pair }) {
  const { ruling } = pair;
  const why = ruling.why.map((advice) => filler(schedule, pair.producer, pair.consumer)(advice.why)).join(" ");
  return (
    <>
      <span class="dl-dim dl-pair-when">{when(ruling)}</span>
      <Badge tone={OUTCOME_TONE[ruling.outcome]}>{ruling.outcome}</Badge>
      <span class="dl-pair-names">
        <GroupNames schedule={schedule} group={pair.producer} isTold /> <span class="dl-dim">with</span> <GroupNames schedule={schedule} group={pair.consumer} isTold />
      </span>
      <span class="dl-dim dl-pair-kind">{ruling.kind}{ruling.saves && `, saves ${ruling.saves}`}</span>
      <span class="dl-pair-why" title={[why, ...ruling.reasons.map((text) => `PyTorch: ${text}`), ruling.score].filter(Boolean).join("\n").replace(/`/g, "")}>
        {ruling.outcome === "fused" ? <span class="dl-dim">{ruling.score || "the next best once others were fused"}</span> : <Prose text={why} inRow />}
      </span>
    </>
  );
}

const FILTERS = ["all", "fused", "refused", "possible"] as const;

export function FusionPairs({ schedule, chosen }: { schedule: ScheduleView; chosen: Signal<Chosen> }) {
  const filter = useSignal<(typeof FILTERS)[number]>("all");
  const round = useSignal(0);
  const kind = useSignal("");
  const all = useMemo(() => pairsOf(schedule), [schedule]);
  const kinds = useMemo(() => [...new Set(all.map(({ ruling }) => ruling.kind))], [all]);
  const rows = all.filter(({ ruling }) =>
    (filter.value === "all" || ruling.outcome === filter.value) && (kind.value === "" || ruling.kind === kind.value) &&
    (round.value === 0 || (ruling.first_round <= round.value && round.value <= ruling.round)));
  const last = (group: number): number => schedule.groups[group].operations.at(-1) ?? 0;
  return (
    <>
      <div class="dl-toolbar">
        <div class="dl-segments" role="group" aria-label="Verdicts">
          {FILTERS.map((one) => <button key={one} type="button" aria-pressed={filter.value === one} onClick={() => (filter.value = one)}>{one}</button>)}
        </div>
        <select class="dl-select" aria-label="Round" value={round.value} onChange={(event) => (round.value = Number(event.currentTarget.value))}>
          <option value={0}>every round</option>
          {schedule.rounds.map((name, i) => <option key={i} value={i + 1}>{name}</option>)}
        </select>
        {kinds.length > 1 && (
          <select class="dl-select" aria-label="Kind" value={kind.value} onChange={(event) => (kind.value = event.currentTarget.value)}>
            <option value="">every kind</option>
            {kinds.map((one) => <option key={one} value={one}>{one}</option>)}
          </select>
        )}
        <span class="dl-dim">{plural(rows.length, "pair")}</span>
      </div>
      {rows.length === 0 ? <Empty title="No such pair" /> : (
        <VirtualList
          label="Pairs" count={rows.length} row={44} entity={(i) => opEntity(schedule.operations[last(rows[i].consumer)].id)}
          rowClass={() => "dl-row-verdict"} onChoose={(i) => (chosen.value = [last(rows[i].producer), last(rows[i].consumer)])}
          renderRow={(i) => <Row schedule={schedule} pair={rows[i]} />}
        />
      )}
      <WhyNotPanel schedule={schedule} chosen={chosen} />
    </>
  );
}
