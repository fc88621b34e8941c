// Which graph's fusion is shown, and how.
import { signal } from "@preact/signals";
import { stateOf } from "../core/state";
import type { ScheduleView } from "../core/types.generated";

export const FUSION_MODES = ["groups", "lists", "pairs", "why"] as const;
export type FusionMode = (typeof FUSION_MODES)[number];

export const fusionState = stateOf(() => ({
  /** By its place among the schedules; null for the one with most to say. */
  shown: signal<number | null>(null),
  mode: signal<FusionMode>("groups"),
}));

/** The schedule that is asked for, else the one of most operations: the first is often of a line or two around the model. */
export function shownSchedule(schedules: readonly ScheduleView[], asked: number | null): ScheduleView | undefined {
  const most = Math.max(...schedules.map(({ operations }) => operations.length));
  return schedules[asked ?? -1] ?? schedules.find(({ operations }) => operations.length === most);
}
