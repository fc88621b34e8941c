// While a compile runs, a frame that is still being analysed has no outcome yet. A recording then
// says "skipped", which is what becomes of a frame that nothing comes of; it must not look so.
import { lineEntity } from "./entities";
import type { FrameView, LineView, SourceView, View } from "./types";

/** Whether Dynamo is not done with a frame: no reason to skip it, and no attempt that came to an end. */
export function isPending(frame: FrameView): boolean {
  return frame.outcome === "skipped" && frame.reason === "" &&
    frame.attempts.every((attempt) => attempt.outcome === "restarted" || attempt.outcome === "compiled");
}

/** The line numbers in a frame's bytecode: they stand in the first five columns, as `dis` prints them. */
export function bytecodeLines(frame: FrameView): number[] {
  return frame.bytecode.split("\n").flatMap((row) => {
    const number = /^ *(\d+) (?:>>| {2}) +\d+ [A-Z]/.exec(row)?.[1];
    return number === undefined ? [] : [Number(number)];
  });
}

function entitiesOf(frames: readonly FrameView[]): ReadonlySet<string> {
  return new Set(frames.flatMap((frame) => {
    const source = /^line:(\d+):/.exec(frame.entity)?.[1];
    return source === undefined ? [] : bytecodeLines(frame).map((line) => lineEntity(Number(source), line));
  }));
}

function settle(source: SourceView, lines: ReadonlySet<string>): SourceView {
  const isOpen = ([number, , state]: LineView): boolean => state === "skipped" && lines.has(lineEntity(source.id, number));
  if (!source.lines.some(isOpen)) return source;
  return {
    ...source,
    lines: source.lines.map((line): LineView => (isOpen(line) ? [line[0], line[1], "compiling", line[3], line[4]] : line)),
  };
}

/** The view with frames, and lines, that are still in work told apart from skipped ones. */
export function withPending(view: View): View {
  if (view.summary.state !== "recording") return view;
  const pending = view.frames.filter(isPending);
  if (pending.length === 0) return view;
  const ids = new Set(pending.map((frame) => frame.id));
  const lines = entitiesOf(pending);
  return {
    ...view,
    frames: view.frames.map((frame) => (ids.has(frame.id) ? { ...frame, outcome: "compiling", explanation: "" } : frame)),
    sources: view.sources.map((source) => settle(source, lines)),
  };
}
