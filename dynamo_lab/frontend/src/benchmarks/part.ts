// The part of benchmarks.
import { offers } from "../core/source";
import type { Part } from "../core/state";
import { Bench, RooflineOfBench } from "./benchmarks";

export const benchmarksPart: Part = {
  tab: "bench",
  Panel: Bench,
  // Also where it can be measured: then the tab is the way to it.
  isThere: ({ model, source }) => !!model.value?.view.bench || !!model.value?.view.bisection || ((source.runs?.ready.value ?? false) && offers(source, "bench")),
};

export const rooflinePart: Part = { tab: "roofline", Panel: RooflineOfBench, isThere: ({ model }) => !!model.value?.view.bench?.roofline };
