// Something that takes its time: what it is, how many seconds it has been, and how it is stopped.
import { type ReadonlySignal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useStore } from "../core/context";

/** Whole seconds since it is shown. */
function useSeconds(): ReadonlySignal<number> {
  const seconds = useSignal(0);
  useEffect(() => {
    const timer = setInterval(() => void seconds.value++, 1000);
    return () => clearInterval(timer);
  }, []);
  return seconds;
}

export function Busy({ what }: { what: string }) {
  const seconds = useSeconds();
  return (
    <div class="dl-progress" role="progressbar" aria-label={what}>
      <div class="dl-progress-bar is-unknown" />
      <span class="dl-progress-text">{what}{seconds.value > 0 && ` \u00b7 ${seconds.value} s`}</span>
    </div>
  );
}

interface RunningProps {
  /** What is done until the kernel tells more. */
  readonly what: string;
  /** Absent where it cannot be stopped; what is said once it was asked to stop. */
  readonly stopping?: string;
}

/** What the kernel runs now, as far as it tells. The seconds are not read out, each step is. */
export function Running({ what, stopping }: RunningProps) {
  const { progress, runs } = useStore().source;
  const seconds = useSeconds();
  const isStopped = useSignal(false);
  const { stage, detail, fraction } = progress.value ?? {};
  const known = typeof fraction === "number";
  const stop = (): void => {
    isStopped.value = true;
    runs?.stop();
  };
  return (
    <div class="dl-progress dl-running">
      <div class={known ? "dl-progress-bar" : "dl-progress-bar is-unknown"} style={known ? { width: `${fraction * 100}%` } : undefined} />
      <span class="dl-progress-text">{isStopped.value ? stopping : stage ?? what}</span>
      <span class="dl-progress-text" aria-hidden="true">{[`${seconds.value} s`, isStopped.value ? "" : detail].filter(Boolean).join(" \u00b7 ")}</span>
      {stopping && <button type="button" class="dl-button" disabled={isStopped.value} onClick={stop}>Stop</button>}
    </div>
  );
}
