// Draws the lanes on a canvas: what a rank did, its collectives, and over them the one that is looked at.
import type { CollectivesView } from "../core/types.generated";
import type { Window } from "../ui/icicle";
import { isByOneClock, type Lanes, xOf } from "./lanes";

export interface Colours {
  readonly compiling: string;
  readonly computing: string;
  readonly waiting: string;
  readonly call: string;
  readonly line: string;
  readonly lit: string;
}

/** The colours of the scheme that the UI wears now. */
export function coloursOf(element: Element): Colours {
  const style = getComputedStyle(element);
  const of = (name: string): string => style.getPropertyValue(name).trim();
  return {
    compiling: of("--dl-compiling"), computing: of("--dl-r3"), waiting: of("--dl-r4"), call: of("--dl-r0"),
    line: of("--dl-line"), lit: of("--dl-held-bar"),
  };
}

/** A canvas that is sharp on the screen it is on, cleared. */
export function cleared(canvas: HTMLCanvasElement, { width, height }: Lanes): CanvasRenderingContext2D | null {
  const scale = window.devicePixelRatio || 1;
  const [across, down] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
  const context = canvas.getContext("2d");
  if (canvas.width !== across || canvas.height !== down) { // which allocates it anew, and takes its time
    canvas.width = across;
    canvas.height = down;
  }
  context?.setTransform(scale, 0, 0, scale, 0, 0);
  context?.clearRect(0, 0, width, height);
  return context;
}

export function drawLanes(context: CanvasRenderingContext2D, view: CollectivesView, lanes: Lanes, shown: Window, colours: Colours): void {
  const { width, rowHeight } = lanes;
  const x = (time: number): number => xOf(time, shown, width);
  const pad = rowHeight > 14 ? 4 : 1;
  const bar = (rank: number, start: number, end: number, colour: string, inset: number): void => {
    if (end < shown.start || start > shown.end) return;
    const left = Math.max(0, x(start));
    context.fillStyle = colour;
    context.fillRect(left, rank * rowHeight + inset, Math.max(1, Math.min(width, x(end)) - left), rowHeight - 2 * inset);
  };
  view.bars.forEach((bars, rank) => {
    for (const [kind, start, end] of bars) if (kind === "compiling") bar(rank, start, end, colours.compiling, pad);
  });
  for (const { ranks, came, waited } of view.meetings) {
    if (waited === null) continue; // nobody is known to be late
    const last = Math.max(...came);
    ranks.forEach((rank, at) => {
      if (last > came[at]) bar(rank, came[at], last, colours.waiting, rowHeight / 3);
    });
  }
  view.bars.forEach((bars, rank) => {
    for (const [kind, start, end, , share] of bars) {
      if (kind !== "computing") continue;
      context.globalAlpha = 0.35 + 0.65 * share;
      bar(rank, start, end, colours.computing, pad);
      context.globalAlpha = 1;
    }
  });
  context.fillStyle = colours.line;
  for (let rank = 1; rank < view.labels.length; rank++) context.fillRect(0, rank * rowHeight, width, 1);
  for (const { ranks, came } of view.meetings) {
    ranks.forEach((rank, at) => bar(rank, came[at], came[at], colours.call, 1));
  }
}

/** Lights a meeting: a mark in the lane of each rank that came, and through them a line where one clock tells how they came. */
export function drawMeeting(context: CanvasRenderingContext2D, view: CollectivesView, meeting: number, lanes: Lanes, shown: Window, colours: Colours): void {
  const { ranks, came, ran } = view.meetings[meeting];
  const isJoined = isByOneClock(view.meetings[meeting]);
  const { width, rowHeight } = lanes;
  const order = ranks.map((rank, at) => ({ rank, x: xOf(came[at], shown, width), ran: ran[at] })).sort((a, b) => a.rank - b.rank);
  context.strokeStyle = colours.lit;
  context.fillStyle = colours.lit;
  context.lineWidth = 1.5;
  if (isJoined) {
    context.beginPath();
    for (const { rank, x } of order) context.lineTo(x, (rank + 0.5) * rowHeight);
    context.stroke();
  }
  for (const { rank, x, ran: time } of order) {
    if (time) {
      context.globalAlpha = 0.45;
      context.fillRect(xOf(time[0], shown, width), (rank + 0.6) * rowHeight, Math.max(1, xOf(time[1], shown, width) - xOf(time[0], shown, width)), rowHeight * 0.3);
      context.globalAlpha = 1;
    }
    context.fillRect(x - 1.5, rank * rowHeight + 1, 3, rowHeight - 2);
  }
}
