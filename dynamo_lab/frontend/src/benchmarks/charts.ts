// The strip of a way's rounds: where each dot lies.
import type { Cache, KernelGroupView, ProgramView, TimeView } from "../core/types.generated";
import { ticks } from "../ui/icicle";

export const STRIP = { width: 220, height: 34, pad: 5 } as const;

export interface Scale {
  /** Where a time lies on the strip; what is beyond it, such as a warm-up, at its edge. */
  x(seconds: number): number;
  readonly ticks: readonly number[];
}

/** One scale for all ways of a table. Warm-ups do not stretch it. */
export function scaleOf(rows: readonly TimeView[]): Scale {
  const all = rows.flatMap((row) => row.seconds);
  const least = Math.min(...all);
  const most = Math.max(...all);
  const span = most - least || most || 1;
  const width = STRIP.width - 2 * STRIP.pad;
  const x = (seconds: number): number => STRIP.pad + width * Math.min(1, Math.max(0, (seconds - least) / span));
  return { x, ticks: ticks({ start: least, end: most }, 0, 3) };
}

/** A tick in the unit of the largest, with the decimals that tell it from the next. */
export function tickText(tick: number, all: readonly number[]): string {
  const most = all[all.length - 1];
  const power = most >= 1 ? 0 : most >= 1e-3 ? 3 : most >= 1e-6 ? 6 : 9;
  const step = all.length > 1 ? (all[1] - all[0]) * 10 ** power : 1;
  return `${(tick * 10 ** power).toFixed(Math.max(0, -Math.floor(Math.log10(step) + 1e-9)))} ${["s", "ms", "\u00b5s", "ns"][power / 3]}`;
}

/** Rounds run from the top to the bottom, so that drift is seen. */
export function y(round: number, rounds: number): number {
  return STRIP.pad + ((STRIP.height - 2 * STRIP.pad) * (round + 0.5)) / Math.max(1, rounds);
}

/** Groups drawn before more are asked for. */
export const SHOWN = 40;
/** The looks of a whole call's parts: kernels, overhead, what is left. None is the look of an outcome. */
export const LEGEND: readonly string[] = ["part-kernels", "part-overhead", "part-rest"];

/** With which caches anything was timed: kernels that were timed for the slowest alone have warm times only. */
export const cachesOf = ({ groups }: ProgramView): readonly Cache[] =>
  (["cold", "warm"] as const).filter((cache) => groups.some((group) => group[cache].kernels !== null || group[cache].eager !== null));

/** Groups by what they lose or gain with these caches, and the longest time of all. */
export function grouped(program: ProgramView, cache: Cache): { groups: readonly KernelGroupView[]; most: number } {
  const groups = [...program.groups].sort((a, b) => a[cache].rank - b[cache].rank);
  const most = Math.max(...groups.flatMap((group) => [group[cache].kernels ?? 0, group[cache].eager ?? 0]), 0);
  return { groups, most: most || 1 };
}
