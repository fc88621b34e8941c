// The part of a job's ranks.
import type { Part } from "../core/state";
import { Ranks } from "./ranks";

export const ranksPart: Part = { tab: "ranks", Panel: Ranks, isThere: ({ source }) => !!source.recordings.ranks.value?.collectives };
