// Passes as rows of a list and lines of a diff, and the steps from one rewrite to the next.
import type { DiffLine, PassesView, PassView, PipelineView } from "../core/types.generated";
import { grouped } from "../core/words";

export type PassItem = { readonly pipeline: PipelineView } | { readonly pass: PassView };

export const isRewrite = (pass: PassView): boolean => pass.state === "did" || pass.state === "failed";

/** The pipelines, each followed by its passes; with `only` by those that did something or are the reader's. */
export function passItems(view: PassesView, only: boolean): PassItem[] {
  return view.pipelines.flatMap((pipeline): PassItem[] => {
    const passes = view.passes.slice(pipeline.first, pipeline.end);
    const shown = only ? passes.filter((pass) => isRewrite(pass) || pass.own) : passes;
    return [{ pipeline }, ...shown.map((pass) => ({ pass }))];
  });
}

/** The pass to show: the chosen one, else the first that did something. */
export function shownPass(passes: readonly PassView[], chosen: number | null): number {
  if (chosen !== null && chosen < passes.length) return chosen;
  return Math.max(0, passes.findIndex(isRewrite));
}

/** The next rewrite from a pass on, around the end; the pass itself where there is none. */
export function nextRewrite(passes: readonly PassView[], from: number, by: 1 | -1): number {
  for (let i = 1; i <= passes.length; i++) {
    const at = (from + by * i + passes.length * 2) % passes.length;
    if (isRewrite(passes[at])) return at;
  }
  return from;
}

export type DiffMode = "diff" | "before" | "after";
export const DIFF_MODES: readonly DiffMode[] = ["diff", "before", "after"];

/** A line, or what stands where lines are left out; `other` is the line that it was or became. */
export type DiffItem = { readonly skipped: string } | { readonly line: DiffLine; readonly other: DiffLine | null };

const HIDDEN: Readonly<Record<DiffMode, string>> = { diff: "", before: "+", after: "-" };

/** The lines of a pass to draw, in the diff or on one side of it. */
export function diffItems(pass: PassView, mode: DiffMode): DiffItem[] {
  return pass.hunks.flatMap((hunk): DiffItem[] => {
    const sides = { "-": new Map<string, DiffLine>(), "+": new Map<string, DiffLine>() };
    for (const line of hunk.lines) {
      const [sign, name] = line;
      if (sign === "-" || sign === "+") sides[sign].set(name, line);
    }
    const other = ([sign, name]: DiffLine): DiffLine | null =>
      (sign === "-" ? sides["+"].get(name) : sign === "+" ? sides["-"].get(name) : null) ?? null;
    const of = hunk.body ? `in ${hunk.body}` : "";
    const left = hunk.skipped > 0 ? `${grouped(hunk.skipped)} unchanged` : "";
    const head = [of, left].filter(Boolean).join(": ");
    const lines = hunk.lines.filter(([sign]) => sign !== HIDDEN[mode]);
    return [...(head ? [{ skipped: head }] : []), ...lines.map((line) => ({ line, other: other(line) }))];
  });
}
