// The part of timings.
import type { Part } from "../core/state";
import { Timings } from "./timings";

export const timingsPart: Part = { tab: "timeline", Panel: Timings, isEmpty: ({ timeline }) => timeline.phases.length === 0 && timeline.caches.length === 0 };
