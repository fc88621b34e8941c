// Bars of nested phases inside a window of time.
import type { PhaseView } from "./types";

export interface Bar {
  readonly index: number;
  readonly left: number; // share of the window, may be cut at its edges
  readonly width: number;
  readonly depth: number;
}

export interface Window {
  readonly start: number;
  readonly end: number;
}

/** The bars to draw: those in the window and wide enough to see. */
export function bars(phases: readonly PhaseView[], window: Window, least = 0.0006): Bar[] {
  const span = window.end - window.start || 1;
  const shown: Bar[] = [];
  phases.forEach(([, start, seconds, depth], index) => {
    const left = Math.max(0, (start - window.start) / span);
    const right = Math.min(1, (start + seconds - window.start) / span);
    if (right - left >= least) shown.push({ index, left, width: right - left, depth });
  });
  return shown;
}

/** Round times after `origin` for the axis, about `count` of them. */
export function ticks(window: Window, origin = 0, count = 6): number[] {
  const span = window.end - window.start;
  if (span <= 0) return [];
  const rough = span / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough) ?? rough;
  const found: number[] = [];
  const first = Math.ceil((window.start - origin) / step - 1e-9);
  for (let i = first; origin + i * step <= window.end; i++) found.push(origin + i * step);
  return found;
}
