// The part of timings.
import type { Part } from "../core/state";
import { Timings } from "./timings";

export const timingsPart: Part = { tab: "timeline", Panel: Timings };
