// The boxes of a schedule: its operations in frames of their groups, or where they are too many, the groups.
import type { ScheduleView } from "../core/types.generated";
import { cut } from "../core/words";
import type { Label } from "../graphs/diagram/labels";

/** What can be read, and laid out in a moment. */
export const MOST_BOXES = 180;

export interface FusionBox {
  readonly id: string;
  readonly operations: readonly number[];
  readonly label: Label;
}

export interface FusionScene {
  readonly boxes: readonly FusionBox[];
  /** Places of the final schedule that are drawn as frames. */
  readonly frames: readonly number[];
  readonly edges: readonly (readonly [from: string, to: string, isWeak: boolean])[];
  /** Whether each box is a whole group. */
  readonly isClosed: boolean;
}

const opBox = (index: number): string => `o${index}`;
const placeBox = (place: number): string => `p${place}`;

/** The places from `first` on that fit, with their operations, or closed where all of those are too many. */
export function fusionScene(schedule: ScheduleView, first: number, isClosed: boolean): FusionScene {
  const places: number[] = [];
  let count = 0;
  for (let place = first; place < schedule.final.length; place++) {
    count += isClosed ? 1 : schedule.groups[schedule.final[place].group].operations.length;
    if (count > MOST_BOXES && places.length > 0) break;
    places.push(place);
  }
  const members = (place: number): readonly number[] => schedule.groups[schedule.final[place].group].operations;
  const boxes = places.flatMap((place): FusionBox[] => {
    const group = schedule.groups[schedule.final[place].group];
    if (isClosed) return [{ id: placeBox(place), operations: group.operations, label: closedLabel(schedule, place) }];
    return group.operations.map((index) => ({ id: opBox(index), operations: [index], label: openLabel(schedule, index) }));
  });
  const boxOf = new Map(boxes.flatMap((box) => box.operations.map((index) => [index, box.id] as const)));
  return { boxes, frames: isClosed ? [] : places.filter((place) => members(place).length > 1), edges: edges(schedule, boxOf), isClosed };
}

function openLabel(schedule: ScheduleView, index: number): Label {
  const item = schedule.operations[index];
  return { title: `${item.name}  ${cut(item.title, 34)}`, detail: cut(item.loops, 40) };
}

function closedLabel(schedule: ScheduleView, place: number): Label {
  const { group, title } = schedule.final[place];
  const { operations, loops } = schedule.groups[group];
  const detail = operations.length > 1 ? `${operations.length} operations${loops ? `, ${loops}` : ""}` : loops;
  return { title: cut(title, 38), detail: cut(detail, 40) };
}

function edges(schedule: ScheduleView, boxOf: ReadonlyMap<number, string>): FusionScene["edges"] {
  const found = new Map<string, readonly [string, string, boolean]>();
  schedule.operations.forEach((item, index) => {
    const to = boxOf.get(index);
    for (const source of item.after) {
      const from = boxOf.get(source);
      if (from && to && from !== to) found.set(`${from} ${to}`, [from, to, item.weak.includes(source)]);
    }
  });
  return [...found.values()];
}

function boxWidth(label: Label): number {
  return Math.max(64, label.title.length * 7.4 + 18, label.detail.length * 6.2 + 18);
}

const inches = (pixels: number): string => (pixels / 72).toFixed(3);

/** Only our own ids and sizes go in, never a name from the program. */
export function fusionDot(schedule: ScheduleView, scene: FusionScene): string {
  const line = (box: FusionBox): string => `${box.id} [width=${inches(boxWidth(box.label))},height=${inches(box.label.detail ? 36 : 26)}]`;
  const framed = new Set(scene.frames.flatMap((place) => schedule.groups[schedule.final[place].group].operations));
  const clusters = scene.frames.map((place) => {
    const inside = scene.boxes.filter((box) => schedule.operations[box.operations[0]].place === place).map(line);
    return [`subgraph cluster_${placeBox(place)} {`, "label=\" \";labelloc=t;fontsize=14;margin=10", ...inside, "}"].join("\n");
  });
  return [
    "digraph {", "graph [rankdir=TB,nodesep=0.22,ranksep=0.32,pad=0.1]", 'node [shape=box,fixedsize=true,label=""]', "edge [arrowsize=0.6]",
    ...clusters, ...scene.boxes.filter((box) => scene.isClosed || !framed.has(box.operations[0])).map(line),
    ...scene.edges.map(([from, to]) => `${from} -> ${to}`), "}",
  ].join("\n");
}
