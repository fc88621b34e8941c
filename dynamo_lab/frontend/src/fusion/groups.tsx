// The schedule as a picture: operations in frames of their groups, coloured by the round shown.
import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { useModel, usePart, useStore } from "../core/context";
import { kernelEntity, opEntity } from "../core/entities";
import type { ScheduleView } from "../core/types.generated";
import { cut, messageOf, plural } from "../core/words";
import { Canvas } from "../layout/canvas";
import type { Layout } from "../layout/layout";
import { layoutClient } from "../layout/state";
import { Empty } from "../ui/bits";
import { type Chosen, WhyNotPanel } from "./ask-why";
import { groupsAfter, pairsOf, tally } from "./rounds";
import { type FusionBox, fusionDot, fusionScene, MOST_BOXES } from "./scene";

const PALETTE = 8;

function useLayout(dot: string): { readonly layout: Layout | null; readonly failure: string } {
  const client = usePart(layoutClient);
  const state = useSignal<{ readonly layout: Layout | null; readonly failure: string }>({ layout: null, failure: "" });
  useEffect(() => {
    let stale = false;
    client.layout(dot).then(
      (layout) => { if (!stale) state.value = { layout, failure: "" }; },
      (error: unknown) => { if (!stale) state.value = { layout: null, failure: messageOf(error) }; },
    );
    return () => { stale = true; };
  }, [dot]);
  return state.value;
}

interface PictureProps {
  readonly schedule: ScheduleView;
  readonly layout: Layout;
  readonly boxes: readonly FusionBox[];
  readonly frames: readonly number[];
  readonly weak: ReadonlySet<string>;
  /** The group of each operation in the round that is shown. */
  readonly groups: readonly number[];
  readonly chosen: Chosen;
}

function Picture({ schedule, layout, boxes, frames, weak, groups, chosen }: PictureProps) {
  const store = useStore();
  const { kin } = useModel();
  const { lit, held } = { lit: store.lit.value, held: store.held.value };
  const isIn = (mask: Uint8Array | null, box: FusionBox): boolean =>
    mask !== null && box.operations.some((index) => mask[kin.vertex("op", schedule.operations[index].id)] === 1);
  const colour = (box: FusionBox): string => {
    const group = groups[box.operations[0]];
    return schedule.groups[group].operations.length > 1 ? ` dl-filled dl-r${group % PALETTE}` : "";
  };
  return (
    <>
      {frames.map((place) => {
        const placed = layout.clusters.get(`p${place}`);
        const { group, kernel, name } = schedule.final[place];
        if (!placed) return null;
        const { kind, loops } = schedule.groups[group];
        return (
          <g key={place} class="dl-frame-box dl-fusion-frame" data-entity={kernel === null ? undefined : kernelEntity(kernel)}>
            <rect x={placed.x} y={placed.y} width={placed.width} height={placed.height} rx={6} />
            <text x={placed.x + 8} y={placed.y + 15}>{cut([kind === "fused" ? "" : kind.replace("_", " "), loops].filter(Boolean).join(", "), Math.floor(placed.width / 6.5))}<title>{name}</title></text>
          </g>
        );
      })}
      {layout.edges.map((edge) => (
        <g key={`${edge.from} ${edge.to}`} class={`dl-edge${weak.has(`${edge.from} ${edge.to}`) ? " is-call" : ""}`}>
          <path class="dl-edge-line" d={edge.path} />
          <path class="dl-edge-head" d={edge.arrow} />
        </g>
      ))}
      {boxes.map((box) => {
        const placed = layout.boxes.get(box.id);
        if (!placed) return null;
        const item = schedule.operations[box.operations[0]];
        const state = `${isIn(lit, box) ? " is-lit" : ""}${isIn(held, box) ? " is-held" : ""}${box.operations.some((index) => chosen.includes(index)) ? " is-hit" : ""}`;
        const middle = placed.x + placed.width / 2;
        return (
          <g
            key={box.id} class={`dl-box dl-box-node dl-fusion-${item.kind}${colour(box)}${state}`} tabindex={0} role="button" aria-label={`${box.label.title} ${box.label.detail}`.trim()}
            data-entity={opEntity(item.id)} onKeyDown={(event) => { if (event.key === "Enter") store.togglePin(opEntity(item.id)); }}
          >
            <rect x={placed.x} y={placed.y} width={placed.width} height={placed.height} rx={item.kind === "extern" ? 12 : 3} />
            <text class="dl-box-title" x={middle} y={placed.y + (box.label.detail ? 14 : placed.height / 2 + 4)}>{box.label.title}</text>{" "}
            {box.label.detail && <text class="dl-box-detail" x={middle} y={placed.y + 27}>{box.label.detail}</text>}
          </g>
        );
      })}
    </>
  );
}

function Stepper({ schedule, round }: { schedule: ScheduleView; round: Signal<number> }) {
  const pairs = useMemo(() => pairsOf(schedule), [schedule]);
  const at = round.value;
  if (schedule.rounds.length === 0) return null;
  const told = tally(pairs, at);
  const groups = new Set(groupsAfter(schedule, at)).size;
  return (
    <>
      <span class="dl-pager">
        <button type="button" class="dl-button" disabled={at === 0} aria-label="The round before" onClick={() => void round.value--}>{"\u2190"}</button>
        <button type="button" class="dl-button" disabled={at === schedule.rounds.length} aria-label="The next round" onClick={() => void round.value++}>{"\u2192"}</button>
      </span>
      <span role="status">{at === 0 ? "before fusion" : `after ${schedule.rounds[at - 1]}`}: {plural(groups, "group")}{at > 0 && <span class="dl-dim">, {plural(told.fused, "pair")} fused, {told.refused} refused</span>}</span>
    </>
  );
}

export function FusionGroups({ schedule, chosen }: { schedule: ScheduleView; chosen: Signal<Chosen> }) {
  const store = useStore();
  const round = useSignal(schedule.rounds.length);
  const isLarge = schedule.operations.length > MOST_BOXES;
  const isClosed = useSignal(isLarge);
  const first = useSignal(0);
  const scene = useMemo(() => fusionScene(schedule, first.value, isClosed.value), [schedule, first.value, isClosed.value]);
  const { layout, failure } = useLayout(useMemo(() => fusionDot(schedule, scene), [schedule, scene]));
  const groups = useMemo(() => groupsAfter(schedule, round.value), [schedule, round.value]);
  const weak = useMemo(() => new Set(scene.edges.flatMap(([from, to, isWeak]) => (isWeak ? [`${from} ${to}`] : []))), [scene]);
  const places = new Set(scene.boxes.flatMap((box) => box.operations.map((index) => schedule.operations[index].place)));
  const end = first.value + places.size;
  // What is led to is to be seen: the page with its group opens.
  const { entity, tick } = store.reveal.value;
  useEffect(() => {
    const place = schedule.operations.find((item) => opEntity(item.id) === entity)?.place ?? -1;
    if (place >= 0 && !places.has(place)) first.value = place;
  }, [tick]);
  if (failure) return <Empty title="No diagram">{failure} The pairs and the memory tell the same.</Empty>;
  return (
    <div class="dl-diagram">
      <div class="dl-toolbar">
        <Stepper schedule={schedule} round={round} />
        <span class="dl-space" />
        {isLarge && <label class="dl-check"><input type="checkbox" checked={!isClosed.value} onChange={() => { isClosed.value = !isClosed.value; first.value = 0; }} /> open groups</label>}
        {(first.value > 0 || end < schedule.final.length) && (
          <span class="dl-pager">
            <span role="status">groups {first.value + 1}{"\u2013"}{end} of {schedule.final.length}</span>
            <button type="button" class="dl-button" disabled={first.value === 0} onClick={() => (first.value = Math.max(0, first.value - places.size))}>Earlier</button>
            <button type="button" class="dl-button" disabled={end >= schedule.final.length} onClick={() => (first.value = end)}>Later</button>
          </span>
        )}
      </div>
      {layout === null ? <div class="dl-waiting" role="status">{"Loading layout\u2026"}</div> : (
        <Canvas width={layout.width} height={layout.height} focus={{ x: layout.width / 2, y: 0, isTop: true }} shift={null}>
          <Picture schedule={schedule} layout={layout} boxes={scene.boxes} frames={scene.frames} weak={weak} groups={groups} chosen={chosen.value} />
        </Canvas>
      )}
      <WhyNotPanel schedule={schedule} chosen={chosen} />
    </div>
  );
}
