// The part of the overview.
import type { Part } from "../core/state";
import type { View } from "../core/types.generated";
import { Overview } from "./overview";

/** Of what was never compiled there is nothing to say but its sentence, which stands above the code then. */
function isEmpty({ summary, findings, run_map, frames, graphs, packages, artifacts }: View): boolean {
  const isNothing = [frames, graphs, packages, artifacts, findings.found, run_map].every((one) => one.length === 0);
  return summary.state === "done" && isNothing;
}

/** Of a job it says what went wrong, also where nothing was compiled. */
export const overviewPart: Part = {
  tab: "overview", Panel: Overview,
  isThere: ({ source, model }) => source.recordings.ranks.value !== null || !model.value || !isEmpty(model.value.view),
};
