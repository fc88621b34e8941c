// Bars of nested phases inside a window of time.
import { PHASE, type PhaseView } from "../core/types.generated";

export interface Bar {
  readonly index: number;
  readonly left: number; // share of the window, may be cut at its edges
  readonly width: number;
  readonly row: number;
}

export interface Window {
  readonly start: number;
  readonly end: number;
}

/** A bar may begin this share of a second before its neighbour ends: clocks are not that exact. */
const SLACK = 1e-4;

/**
 * The row of each phase: as deep as it nests, or below all of them where another thread's phase is
 * there already, so that no bar hides another.
 */
export function rowsOf(phases: readonly PhaseView[]): number[] {
  const rows = new Array<number>(phases.length).fill(0);
  const busy: number[] = []; // until when each row is taken
  const deepest = phases.reduce((most, phase) => Math.max(most, phase[PHASE.depth]), 0);
  const order = phases.map((_, i) => i).sort((a, b) => phases[a][PHASE.start] - phases[b][PHASE.start] || phases[b][PHASE.seconds] - phases[a][PHASE.seconds]);
  for (const i of order) {
    const [, start, seconds, depth] = phases[i];
    let row = depth;
    if ((busy[row] ?? -Infinity) > start + SLACK) {
      row = deepest + 1;
      while ((busy[row] ?? -Infinity) > start + SLACK) row++;
    }
    busy[row] = start + seconds;
    rows[i] = row;
  }
  return rows;
}

/** The bars to draw: those in the window and wide enough to see. */
export function bars(phases: readonly PhaseView[], rows: readonly number[], window: Window, least = 0.0006): Bar[] {
  const span = window.end - window.start || 1;
  const shown: Bar[] = [];
  phases.forEach(([, start, seconds], index) => {
    const left = Math.max(0, (start - window.start) / span);
    const right = Math.min(1, (start + seconds - window.start) / span);
    if (right - left >= least) shown.push({ index, left, width: right - left, row: rows[index] });
  });
  return shown;
}

/** The bar that an arrow leads to: along the row, into the bar above or the widest one below. */
export function neighbour(drawn: readonly Bar[], from: Bar | undefined, key: string): Bar | undefined {
  if (!from) return undefined;
  const row = (at: number): Bar[] => drawn.filter((bar) => bar.row === at).sort((a, b) => a.left - b.left);
  const overlap = (bar: Bar): number => Math.min(bar.left + bar.width, from.left + from.width) - Math.max(bar.left, from.left);
  const touching = (at: number): Bar | undefined => row(at).filter((bar) => overlap(bar) > 0).sort((a, b) => overlap(b) - overlap(a))[0];
  const same = row(from.row);
  switch (key) {
    case "ArrowRight": return same[same.indexOf(from) + 1];
    case "ArrowLeft": return same[same.indexOf(from) - 1];
    case "ArrowDown": return touching(from.row + 1);
    case "ArrowUp": return touching(from.row - 1);
    case "Home": return same[0];
    case "End": return same.at(-1);
    default: return undefined;
  }
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
