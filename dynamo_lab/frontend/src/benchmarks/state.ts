// What is shown of a benchmark.
import { signal } from "@preact/signals";
import { derived } from "../core/model";
import { stateOf } from "../core/state";
import type { Cache } from "../core/types.generated";

export const BENCH_MODES = ["ways", "kernels", "memory", "code", "machine"] as const;
export type BenchMode = (typeof BENCH_MODES)[number];

export const benchmarksState = stateOf(() => ({
  mode: signal<BenchMode>("ways"),
  /** The caches that kernels were timed with. */
  cache: signal<Cache>("cold"),
}));

/** The measured time of a kernel, empty where it was not timed. */
export const timeOf = derived(({ view }) => {
  const times = new Map(view.bench?.kernels.kernels);
  return (kernel: number): string => times.get(kernel) ?? "";
});
