// All parts of the UI: each owns a noun.
import { attentionPart } from "./attention/part";
import { fastPathPart } from "./fast_path/part";
import { autogradPart } from "./autograd/part";
import { benchmarksPart, rooflinePart } from "./benchmarks/part";
import { breaksPart } from "./breaks/part";
import { choicesPart } from "./choices/part";
import { codePart } from "./code/part";
import { compilerPart } from "./compiler/part";
import type { Part } from "./core/state";
import { decompositionsPart } from "./decompositions/part";
import { framesPart } from "./frames/part";
import { fusionPart, memoryPart } from "./fusion/part";
import { graphsPart } from "./graphs/part";
import { guardsPart } from "./guards/part";
import { journeyPart } from "./journey/part";
import { kernelsPart } from "./kernels/part";
import { logsPart } from "./logs/part";
import { loweringPart } from "./lowering/part";
import { modulesPart } from "./modules/part";
import { overviewPart } from "./overview/part";
import { packagesPart } from "./packages/part";
import { passesPart } from "./passes/part";
import { ranksPart } from "./ranks/part";
import { shellPart } from "./shell/part";
import { playgroundPart } from "./playground/part";
import { stepsPart } from "./steps/part";
import { timingsPart } from "./timings/part";
import { artifactsPart } from "./traces/part";

export const PARTS: readonly Part[] = [
  overviewPart, ranksPart, modulesPart, codePart, breaksPart, stepsPart, graphsPart, autogradPart, decompositionsPart, passesPart, loweringPart, compilerPart, choicesPart, attentionPart, fastPathPart, fusionPart, memoryPart, playgroundPart, kernelsPart,
  benchmarksPart, rooflinePart, packagesPart, guardsPart, framesPart, timingsPart, logsPart, artifactsPart, shellPart, journeyPart,
];
