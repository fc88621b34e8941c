// The part of the overview.
import type { Part } from "../core/state";
import type { View } from "../core/types.generated";
import { Overview } from "./overview";

/** Of what was never compiled there is nothing to say but its sentence, which stands above the code then. */
function isEmpty({ summary, findings, run_map, frames, packages, artifacts }: View): boolean {
  if (summary.state === "done" && frames.length === 0 && packages.length === 0 && artifacts.length === 0) return findings.found.length === 0 && run_map.length === 0;
  return false;
}

export const overviewPart: Part = { tab: "overview", Panel: Overview, isEmpty };
