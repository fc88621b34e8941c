// A measurement that takes the kernel a while: how far it is, a way to stop it, and what went wrong.
import { useSignal } from "@preact/signals";
import { useStore } from "../../core/context";
import type { Asking } from "../../core/source";
import type { Outcomes } from "../../core/types.generated";
import { messageOf } from "../../core/words";
import { Prose } from "../bits";

export interface Measuring {
  readonly state: "" | "busy" | "stopping";
  readonly error: string;
  /** Shows the recording that it makes; `then` is what to do with it. */
  start(what: keyof Outcomes, asked: Asking, then?: () => void): void;
  stop(): void;
}

/** Null where no kernel has the program. */
export function useMeasuring(): Measuring | null {
  const { runs, recordings } = useStore().source;
  const state = useSignal<Measuring["state"]>("");
  const error = useSignal("");
  const entry = recordings.shown.value;
  if (!runs?.ready.value || !entry) return null;
  const { base, asked: made } = entry;
  return {
    state: state.value,
    error: error.value,
    start(what, asked, then) {
      state.value = "busy";
      error.value = "";
      runs.run(what, base, asked)
        .then((ran) => {
          recordings.add(ran, { base, fix: "", asked: made });
          recordings.show(ran.label);
          then?.();
        }, (reason: unknown) => void (error.value = messageOf(reason)))
        .finally(() => (state.value = ""));
    },
    stop() {
      state.value = "stopping";
      runs.stop();
    },
  };
}

export const StopButton = ({ of }: { of: Measuring }) => (
  <button type="button" class="dl-button" disabled={of.state === "stopping"} onClick={of.stop}>Stop</button>
);

/** How far it is, or why it failed. */
export function HowFar({ of: { state, error } }: { of: Measuring }) {
  const progress = useStore().source.progress.value;
  if (state === "") return error ? <p class="dl-would-error" role="alert"><Prose text={error} /></p> : null;
  return (
    <p class="dl-dim" role="status">
      {state === "stopping"
        ? "Stopping: the current run finishes, and what was measured is kept."
        : `${progress?.active ? [progress.stage, progress.detail].filter(Boolean).join(", ") : "Starting"}. Leave the machine alone meanwhile: other cells and programs make times longer.`}
    </p>
  );
}
