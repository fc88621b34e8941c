// The part of a job's ranks.
import type { Part } from "../core/state";
import { Ranks } from "./ranks";

export const ranksPart: Part = {
  tab: "ranks", Panel: Ranks,
  isThere: ({ source }) => {
    const view = source.recordings.ranks.value;
    return !!view && !!(view.collectives || view.plan || view.meshes.length || view.tensors.length || view.memory || view.ddp);
  },
};
