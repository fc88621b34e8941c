// What a reader may write as the arguments of a call: a cell has none, so its names are given by name.
import type { View } from "../core/types.generated";

/** How the view calls the frame of a cell's own statements. */
const CELL = /^cell( \(\d+ of \d+\))?$/;
const GLOBAL = /^G\['(\w+)'\]$/;

/** An example for the frame that is asked: the first that has guards and resumes none. */
export function exampleOf({ frames, guards: { guards } }: Pick<View, "frames" | "guards">): string {
  const asked = frames.find((frame) => frame.resumes === null && guards.some((guard) => guard.frame === frame.id));
  const own = guards.filter((guard) => guard.frame === asked?.id);
  const isCell = asked !== undefined && CELL.test(asked.name) && !own.some((guard) => guard.source.startsWith("L["));
  if (!isCell) return "torch.randn(8, 3)   or by name: x=torch.randn(8, 3)";
  const tensors = own.filter((guard) => guard.kind === "TENSOR_MATCH").map((guard) => GLOBAL.exec(guard.source)?.[1]);
  return `${tensors.find(Boolean) ?? "x"}=torch.randn(8, 3)`;
}
