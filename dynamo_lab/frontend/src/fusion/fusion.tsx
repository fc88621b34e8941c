// Scheduling: the groups as a picture, every pair with its verdict, why not, and memory.
import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo } from "preact/hooks";
import { useModel, useStore } from "../core/context";
import { graphEntity, parseEntity } from "../core/entities";
import type { ScheduleView } from "../core/types.generated";
import { plural } from "../core/words";
import { Empty, GraphChip, Prose } from "../ui/bits";
import { type Chosen, WhyNotPanel } from "./ask-why";
import { Foreach } from "./foreach";
import { FusionGroups } from "./groups";
import { Memory } from "./memory";
import { FusionPairs } from "./pairs";
import { pairsOf } from "./rounds";
import { refusedPair } from "./why-not";
import { FUSION_MODES, type FusionMode, fusionState, shownSchedule } from "./state";

const NAMES: Readonly<Record<FusionMode, string>> = { groups: "Groups", lists: "Lists", pairs: "Pairs", why: "Why not?" };

function countOf(schedule: ScheduleView, mode: FusionMode): number | null {
  if (mode === "groups") return schedule.final.length;
  if (mode === "lists") return schedule.foreach?.pairs.length ?? 0;
  return mode === "pairs" ? schedule.ruling.length : null;
}

/** A question to begin with: what answers is seen before anything is chosen. */
function Asked({ schedule, chosen }: { schedule: ScheduleView; chosen: Signal<Chosen> }) {
  const store = useStore();
  const { kin } = useModel();
  useEffect(() => {
    const [one, other] = chosen.peek();
    const held = store.held.peek();
    if (one >= 0 || other >= 0) return;
    const pair = refusedPair(schedule, (index) => held?.[kin.vertex("op", schedule.operations[index].id)] === 1);
    if (pair) chosen.value = pair;
  }, [schedule]);
  return <WhyNotPanel schedule={schedule} chosen={chosen} isWhole />;
}

function Body({ schedule, mode, chosen }: { schedule: ScheduleView; mode: FusionMode; chosen: Signal<Chosen> }) {
  switch (mode) {
    case "groups": return <FusionGroups schedule={schedule} chosen={chosen} />;
    case "lists": return schedule.foreach && <Foreach foreach={schedule.foreach} />;
    case "pairs": return <FusionPairs schedule={schedule} chosen={chosen} />;
    case "why": return <Asked schedule={schedule} chosen={chosen} />;
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
  useLayoutEffect(() => {
    chosen.value = [-1, -1]; // before a panel of the new schedule asks its first question
  }, [schedule]);
  return chosen;
}

/** Which schedule is shown, of several, and its graph. */
function Schedules({ schedules, schedule }: { schedules: readonly ScheduleView[]; schedule: ScheduleView }) {
  const store = useStore();
  if (schedules.length < 2) return <GraphChip id={schedule.graph} />;
  return (
    <>
      <select class="dl-select" aria-label="Schedule" value={schedules.indexOf(schedule)} onChange={(event) => (fusionState(store).shown.value = Number(event.currentTarget.value))}>
        {schedules.map((one, i) => <option key={i} value={i}>{one.title}, {plural(one.operations.length, "operation")}</option>)}
      </select>
      <button type="button" class="dl-button" data-go={graphEntity(schedule.graph)}>its graph</button>
    </>
  );
}

export function Fusion() {
  const store = useStore();
  const { view } = useModel();
  const schedules = view.fusions.schedules;
  const schedule = shownSchedule(schedules, fusionState(store).shown.value);
  const chosen = useChosen(schedule);
  const pairs = useMemo(() => (schedule ? pairsOf(schedule).length : 0), [schedule]);
  if (!schedule) return <Empty title="Nothing scheduled">Schedules of Inductor and of the backend lab are recorded; this recording has none.</Empty>;
  const modes = FUSION_MODES.filter((one) => (one !== "pairs" || pairs > 0) && (one !== "lists" || schedule.foreach !== null));
  const mode = modes.includes(fusionState(store).mode.value) ? fusionState(store).mode.value : "groups";
  return (
    <>
      <div class="dl-toolbar">
        <Schedules schedules={schedules} schedule={schedule} />
        <span class="dl-space" />
        <div class="dl-segments" role="group" aria-label="What to show">
          {modes.map((one) => (
            <button key={one} type="button" aria-pressed={one === mode} onClick={() => (fusionState(store).mode.value = one)}>
              {NAMES[one]} {countOf(schedule, one) !== null && <span class="dl-count">{countOf(schedule, one)}</span>}
            </button>
          ))}
        </div>
      </div>
      <div class="dl-partition"><p><Prose text={schedule.sentences.join(" ")} /></p></div>
      <Body key={`${fusionState(store).shown.value} ${mode}`} schedule={schedule} mode={mode} chosen={chosen} />
    </>
  );
}

/** What the kernels of a schedule allocate, call by call. */
export function FusionMemory() {
  const store = useStore();
  const { schedules } = useModel().view.fusions;
  const wanted = shownSchedule(schedules, fusionState(store).shown.value);
  const schedule = wanted && wanted.memory.length > 0 ? wanted : schedules.find((one) => one.memory.length > 0);
  if (!schedule) return null;
  return (
    <>
      <div class="dl-toolbar"><Schedules schedules={schedules} schedule={schedule} /></div>
      <Memory key={schedule.graph} schedule={schedule} />
    </>
  );
}
