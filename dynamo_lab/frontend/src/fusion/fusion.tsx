// Scheduling: the groups as a picture, every pair with its verdict, why not, and memory.
import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { useModel, useStore } from "../core/context";
import { graphEntity, parseEntity } from "../core/entities";
import type { ScheduleView } from "../core/types.generated";
import { Empty, GraphChip, Prose } from "../ui/bits";
import { type Chosen, WhyNotPanel } from "./ask-why";
import { FusionGroups } from "./groups";
import { Memory } from "./memory";
import { FusionPairs } from "./pairs";
import { pairsOf } from "./rounds";
import { FUSION_MODES, type FusionMode, fusionState } from "./state";

const NAMES: Readonly<Record<FusionMode, string>> = { groups: "Groups", pairs: "Pairs", why: "Why not?", memory: "Memory" };

function countOf(schedule: ScheduleView, mode: FusionMode): number | null {
  if (mode === "groups") return schedule.final.length;
  if (mode === "pairs") return schedule.ruling.length;
  return mode === "memory" ? schedule.memory.reduce((sum, plan) => sum + plan.lives.length, 0) : null;
}

function Body({ schedule, mode, chosen }: { schedule: ScheduleView; mode: FusionMode; chosen: Signal<Chosen> }) {
  switch (mode) {
    case "groups": return <FusionGroups schedule={schedule} chosen={chosen} />;
    case "pairs": return <FusionPairs schedule={schedule} chosen={chosen} />;
    case "why": return <WhyNotPanel schedule={schedule} chosen={chosen} isWhole />;
    case "memory": return <Memory schedule={schedule} />;
  }
}

/** The operation that is pinned joins the one that was before it: those are the pair asked about. */
function useChosen(schedule: ScheduleView | undefined): Signal<Chosen> {
  const store = useStore();
  const chosen = useSignal<Chosen>([-1, -1]);
  const pinned = parseEntity(store.pin.value);
  const at = pinned?.kind === "op" ? (schedule?.operations.findIndex((item) => item.id === pinned.a) ?? -1) : -1;
  useEffect(() => {
    const [one, other] = chosen.peek();
    if (at >= 0 && at !== other) chosen.value = other >= 0 ? [other, at] : one >= 0 ? [one, at] : [-1, at];
  }, [at]);
  useEffect(() => {
    chosen.value = [-1, -1];
  }, [schedule]);
  return chosen;
}

export function Fusion() {
  const store = useStore();
  const { view } = useModel();
  const schedules = view.fusions.schedules;
  const schedule = schedules[fusionState(store).shown.value] ?? schedules[0];
  const chosen = useChosen(schedule);
  const pairs = useMemo(() => (schedule ? pairsOf(schedule).length : 0), [schedule]);
  if (!schedule) return <Empty title="Nothing scheduled">Schedules of Inductor and of the backend lab are recorded; this recording has none.</Empty>;
  const modes = FUSION_MODES.filter((one) => (one !== "pairs" || pairs > 0) && (one !== "memory" || schedule.memory.length > 0));
  const mode = modes.includes(fusionState(store).mode.value) ? fusionState(store).mode.value : "groups";
  return (
    <>
      <div class="dl-toolbar">
        {schedules.length > 1 && (
          <select class="dl-select" aria-label="Schedule" value={schedules.indexOf(schedule)} onChange={(event) => (fusionState(store).shown.value = Number(event.currentTarget.value))}>
            {schedules.map((one, i) => <option key={i} value={i}>{one.title}</option>)}
          </select>
        )}
        {schedules.length > 1
          ? <button type="button" class="dl-button" data-go={graphEntity(schedule.graph)}>its graph</button>
          : <GraphChip id={schedule.graph} />}
        <span class="dl-space" />
        <div class="dl-segments" role="group" aria-label="What to show">
          {modes.map((one) => (
            <button key={one} type="button" aria-pressed={one === mode} onClick={() => (fusionState(store).mode.value = one)}>
              {NAMES[one]} {countOf(schedule, one) !== null && <span class="dl-count">{countOf(schedule, one)}</span>}
            </button>
          ))}
        </div>
      </div>
      {mode !== "memory" && <div class="dl-partition"><p><Prose text={schedule.sentences.join(" ")} /></p></div>}
      <Body key={`${fusionState(store).shown.value} ${mode}`} schedule={schedule} mode={mode} chosen={chosen} />
    </>
  );
}
