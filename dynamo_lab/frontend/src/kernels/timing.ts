// Whether the kernels of what is shown can be timed, and which of them is the slowest.
import { derived } from "../core/model";
import { type DataSource, offers } from "../core/source";
import type { View } from "../core/types.generated";

/** Why no kernel can be timed, in a sentence; empty where the living program can be asked for it. */
export function whyNotTimed(source: DataSource, { summary }: View): string {
  if (summary.target) return summary.target;
  if (!source.runs) return "That takes the living program, and this page has none.";
  if (summary.state === "recording" || (!source.runs.ready.value && source.progress.value)) return "The run is not over yet.";
  if (!source.runs.ready.value) return "That takes `%%compile` or `explore()`, whose program can run again.";
  return offers(source, "bench") ? "" : "The program does not run to its end.";
}

export const isTimed = ({ bench }: View): boolean => (bench?.kernels.kernels.length ?? 0) > 0;

/** Whether times tell a kernel from all others as the slowest, or with some that they do not tell apart. */
export const slownessOf = derived(({ view }) => {
  const slowest = view.bench?.kernels.programs[0]?.slowest?.kernels ?? [];
  const word = slowest.length === 1 ? "slowest" : "among the slowest";
  const ids = new Set(slowest.map(({ id }) => id));
  return (kernel: number): string => (ids.has(kernel) ? word : "");
});
