// The part of what a trace log holds.
import type { Part } from "../core/state";
import { Artifacts } from "./artifacts";
import { isLogged } from "./logged";

export const artifactsPart: Part = { tab: "artifacts", Panel: Artifacts, isThere: isLogged, count: (view) => view.artifacts.length };
