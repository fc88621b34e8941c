// Which step is shown.
import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { derived } from "../core/model";
import { stateOf } from "../core/state";
import type { Stop } from "../core/types.generated";
import { Playback } from "./playback";

/** The steps of the analysis, null where none were recorded. */
export const playbackOf = derived(({ view }) => (view.steps && view.steps.call !== "" ? new Playback(view.steps) : null));

export interface StepsState {
  readonly playback: ReadonlySignal<Playback | null>;
  readonly step: ReadonlySignal<number>;
  /** Shows a step. */
  play(step: number): void;
  /** Moves on to the next or back to the previous of something. */
  move(stop: Stop, by: 1 | -1): void;
}

export const stepsState = stateOf((store): StepsState => {
  const at = signal(0);
  const playback = computed(() => (store.model.value ? playbackOf(store.model.value) : null));
  const step = computed(() => Math.min(at.value, (playback.value?.count ?? 1) - 1));
  return {
    playback, step,
    play: (to) => {
      if (!playback.value || to < 0) return;
      at.value = to;
      store.setTab("steps");
    },
    move: (stop, by) => {
      if (playback.value) at.value = playback.value.move(step.peek(), stop, by);
    },
  };
});
