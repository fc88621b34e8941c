// Where things lie in the roofline's plot: both axes are logarithmic.
import type { PointView, RooflineView, RoofView } from "../core/types.generated";

export const PLOT = { width: 760, height: 320, left: 82, right: 14, top: 16, bottom: 38 } as const;

export interface Place {
  readonly x: number;
  readonly y: number;
}

export interface Scale {
  x(intensity: number): number;
  y(rate: number): number;
}

export function scaleOf({ x: [x0, x1], y: [y0, y1] }: Pick<RooflineView, "x" | "y">): Scale {
  const width = PLOT.width - PLOT.left - PLOT.right;
  const height = PLOT.height - PLOT.top - PLOT.bottom;
  return {
    x: (intensity) => PLOT.left + (width * (Math.log10(intensity) - x0)) / (x1 - x0),
    y: (rate) => PLOT.top + height - (height * (Math.log10(rate) - y0)) / (y1 - y0),
  };
}

/** Powers of ten within a range, at most eight of them. */
export function decades([low, high]: readonly [number, number]): number[] {
  const step = Math.ceil((high - low) / 8) || 1;
  return Array.from({ length: Math.floor((high - low) / step) + 1 }, (_, i) => low + i * step);
}

const PREFIXES = ["", "k", "M", "G", "T", "P"];

/** 9 is "1 GFLOP/s". */
export function rateLabel(power: number): string {
  const at = Math.max(0, Math.min(PREFIXES.length - 1, Math.floor(power / 3)));
  return `${plain(power - 3 * at)} ${PREFIXES[at]}FLOP/s`;
}

/** -2 is "0.01", 3 is "1000". */
export const plain = (power: number): string => (power < 0 ? (10 ** power).toFixed(Math.min(20, -power)) : String(10 ** power));

/** A roof: along memory's slope up to its ridge, and level from there. */
export function roofLine(view: Pick<RooflineView, "x" | "y" | "bandwidth">, roof: RoofView): Place[] {
  const scale = scaleOf(view);
  const start = Math.max(10 ** view.x[0], 10 ** view.y[0] / view.bandwidth);
  const ridge = roof.flops / view.bandwidth;
  const at = (intensity: number, rate: number): Place => ({ x: scale.x(intensity), y: scale.y(rate) });
  const level = at(10 ** view.x[1], roof.flops);
  return start < ridge ? [at(start, start * view.bandwidth), at(ridge, roof.flops), level] : [at(start, roof.flops), level];
}

/** A disc as large as the time that all calls of a kernel take. */
export function radius(point: PointView, most: number): number {
  return 3 + 8 * Math.sqrt((point.seconds * point.calls) / (most || 1));
}

/** How sure one can be of a glance at a share: the same bounds as in the terminal. */
export function toneOf({ share }: PointView): "good" | "warning" | "bad" | "plain" {
  if (share === null) return "plain";
  return share >= 0.6 ? "good" : share >= 0.3 ? "warning" : "bad";
}
