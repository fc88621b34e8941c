// The rows of the kernels' list: each wrapper stands after the kernels it calls, of which the slower come first.
import type { KernelsView, KernelView, WrapperView } from "../core/types.generated";
import type { KernelChoice } from "./state";

export type Item = { readonly kernel: KernelView } | { readonly wrapper: WrapperView };

/** `timed` are the kernels that were timed, the slower first; the others follow in their own order. */
export function kernelItems(view: KernelsView, timed: readonly number[] = []): Item[] {
  const rank = new Map(timed.map((kernel, at) => [kernel, at]));
  const rankOf = ({ id }: KernelView): number => rank.get(id) ?? timed.length;
  const kernels = view.kernels.toSorted((a, b) => rankOf(a) - rankOf(b));
  const loose = kernels.filter((k) => !view.wrappers.some((w) => w.id === k.wrapper));
  return [
    ...view.wrappers.flatMap((wrapper): Item[] => [
      ...kernels.filter((kernel) => kernel.wrapper === wrapper.id).map((kernel) => ({ kernel })),
      { wrapper },
    ]),
    ...loose.map((kernel) => ({ kernel })),
  ];
}

/** The kernels that are kin, and the wrappers that call one of them. */
export function kinItems(items: readonly Item[], isKin: (kernel: number) => boolean): Item[] {
  const callers = new Set(items.flatMap((item) => ("kernel" in item && isKin(item.kernel.id) ? [item.kernel.wrapper] : [])));
  return items.filter((item) => ("kernel" in item ? isKin(item.kernel.id) : callers.has(item.wrapper.id)));
}

/** What to show before anything is chosen: a library's kernel has no code to read. */
export const firstWithCode = (items: readonly Item[]): number =>
  Math.max(0, items.findIndex((item) => "kernel" in item && item.kernel.code !== ""));

export function isChosen(item: Item, choice: KernelChoice | null): boolean {
  if (!choice) return false;
  return "kernel" in item ? choice.kind === "kernel" && choice.id === item.kernel.id
    : choice.kind === "wrapper" && choice.id === item.wrapper.id;
}
