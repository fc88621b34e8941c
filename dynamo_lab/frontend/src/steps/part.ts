// The part of the steps of the analysis.
import type { Part, Store } from "../core/state";
import type { Stop } from "../core/types.generated";
import { stepsState } from "./state";
import { Steps } from "./steps";

const MOVES: Readonly<Record<string, readonly [Stop, 1 | -1]>> = {
  ArrowRight: ["step", 1], ArrowLeft: ["step", -1], o: ["over", 1], O: ["over", -1], u: ["out", 1], U: ["out", -1],
  b: ["break", 1], B: ["break", -1], n: ["node", 1], N: ["node", -1], g: ["guard", 1], G: ["guard", -1],
  a: ["attempt", 1], A: ["attempt", -1],
};

/** The slider moves by arrows, Home and End itself. */
function onKey(event: KeyboardEvent, store: Store): boolean {
  const { playback, play, move } = stepsState(store);
  if (!playback.value) return false;
  const onSlider = event.target instanceof Element && event.target.matches("input[type=range]");
  if (onSlider && /^(Arrow|Home|End)/.test(event.key)) return false;
  const key = event.shiftKey && event.key.startsWith("Arrow") ? (event.key === "ArrowRight" ? "o" : "O") : event.key;
  if (key === "Home") play(0);
  else if (key === "End") play(playback.value.count - 1);
  else if (key in MOVES) move(...MOVES[key]);
  else return false;
  return true;
}

export const stepsPart: Part = {
  tab: "steps",
  Panel: Steps,
  isThere: (store) => stepsState(store).playback.value !== null,
  onKey,
};
