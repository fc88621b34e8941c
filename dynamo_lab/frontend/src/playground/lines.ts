// Lines of a text and of the code made of it: which belong together, and in which colour.
import type { KernelView, PlaygroundView } from "../core/types.generated";

export type LineOf = (line: number) => number;

/** Degrees between the hues of neighbouring lines, as everywhere. */
const HUE_STEP = 137.5;

/** The hue of a line of the text, the same in each pane. */
export const hueOf = (line: number): number => Math.round(210 + line * HUE_STEP) % 360;

/** For a line of a kernel's code, the line of the text that it is there for; 0 for none. */
export function originOf(kernel: KernelView, source: number | null): LineOf {
  const lines = new Map(kernel.origins.filter(([, of]) => of === source).map(([line, , number]) => [line, number]));
  return (line) => lines.get(line) ?? 0;
}

/** The same for a lower form of it, through its pairs (line of the form, line of the kernel). */
export function originBelow(of: LineOf, pairs: readonly number[]): LineOf {
  const lines = new Map<number, number>();
  for (let i = 0; i + 1 < pairs.length; i += 2) lines.set(pairs[i], of(pairs[i + 1]));
  return (line) => lines.get(line) ?? 0;
}

/** For a line of a text, the same line in another version of it; 0 where it has none. */
export function carried(from: string, to: string): LineOf {
  if (from === to) return (line) => line;
  const [old, now] = [from.split("\n"), to.split("\n")];
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start] === now[start]) start++;
  let end = 0;
  while (end < shorter - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
  return (line) => {
    if (line <= start) return line;
    if (line > old.length - end) return line - old.length + now.length;
    // within what differs: as many lines there as here are thought to be the same ones, changed
    return old.length === now.length ? line : 0;
  };
}

/** The lines of the text that something was generated for. */
export function usedLines(kernels: readonly KernelView[], source: number | null): ReadonlySet<number> {
  return new Set(kernels.flatMap(({ origins }) => origins.filter(([, of]) => of === source).map(([, , line]) => line)));
}

/** The kernel that is shown: the chosen one by name, else the first that has code. */
export function shownKernel(kernels: readonly KernelView[], name: string): KernelView | undefined {
  return kernels.find((one) => one.name === name) ?? kernels.find(({ code, language }) => code !== "" && language !== "extern") ?? kernels[0];
}

/** How Python asks for the same, to copy. */
export function asPython({ target, backend, dynamic, mode }: Pick<PlaygroundView, "target" | "backend" | "dynamic" | "mode">): string {
  const asked = [`target="${target}"`, `backend="${backend}"`];
  if (dynamic !== null) asked.push(`dynamic=${dynamic ? "True" : "False"}`);
  if (mode !== null) asked.push(`mode="${mode}"`);
  return `rec.playground().lower(text, ${asked.join(", ")})`;
}
