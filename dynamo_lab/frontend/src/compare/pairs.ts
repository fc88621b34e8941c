// The rows of a comparison: which kernels stand on which side, and the lines of a diff.
import type { Edit, KernelView, PairView, WorkView } from "../core/types.generated";

/** Work seen from the recording that is shown: its own kernels, and those of the other. */
export interface Work {
  readonly own: readonly number[];
  readonly other: readonly number[];
  readonly view: WorkView;
  /** Whether the pair was told from the other to the shown one. */
  readonly turned: boolean;
}

export function worksOf(pair: PairView, shown: string): Work[] {
  const turned = pair.a !== shown;
  return pair.works.map((view) => ({ own: turned ? view.b : view.a, other: turned ? view.a : view.b, view, turned }));
}

/** sign, text, the text that it stands for or stands against; a sign of "" leaves out lines that are the same */
export type Row = readonly [sign: string, text: string, other?: string];

const CONTEXT = 3;

const lines = (kernels: readonly KernelView[]): string[] => kernels.filter((one) => one.code !== "").flatMap((one) => one.code.replace(/^\n+|\n+$/g, "").split("\n"));

/** The diff from the first recording of the pair to the second. */
export function diffRows(work: WorkView, a: readonly KernelView[], b: readonly KernelView[], whole: boolean): Row[] {
  return rowsOf(work.edits, lines(a), lines(b), whole);
}

/** The diff of two texts, of which these lines differ. */
export function rowsOf(edits: readonly Edit[], old: readonly string[], now: readonly string[], whole: boolean): Row[] {
  return edits.flatMap(([sign, from, end, start, stop], i): Row[] => {
    if (sign !== "=") {
      const paired = end - from === stop - start;
      const gone = old.slice(from, end).map((text, at): Row => ["-", text, paired ? now[start + at] : undefined]);
      return [...gone, ...now.slice(start, stop).map((text, at): Row => ["+", text, paired ? old[from + at] : undefined])];
    }
    const kept = now.slice(start, stop).map((text): Row => [" ", text]);
    const before = i === 0 ? 0 : CONTEXT;
    const after = i === edits.length - 1 ? 0 : CONTEXT;
    const left = kept.length - before - after;
    if (whole || left < 2) return kept;
    return [...kept.slice(0, before), ["", `${left} lines the same`], ...kept.slice(kept.length - after, kept.length)];
  });
}
