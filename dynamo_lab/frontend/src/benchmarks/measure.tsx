// Measure: the kernel compiles the program in each way, checks it, and times them in turns.
import { useSignal } from "@preact/signals";
import { useStore } from "../core/context";
import { Prose } from "../ui/bits";
import { messageOf } from "../core/words";

const WAYS = ["compiled", "reduce-overhead", "max-autotune", "aot_eager"] as const;
/** Seconds a series, of which there is one for each phase and cache. */
const SECONDS = [5, 20, 60] as const;

export function Measure() {
  const { source } = useStore();
  const { runs, recordings, progress } = source;
  const ways = useSignal<readonly string[]>(WAYS.slice(0, 1));
  const training = useSignal(false);
  const seconds = useSignal<number>(SECONDS[0]);
  const state = useSignal<"" | "busy" | "stopping">("");
  const error = useSignal("");
  const entry = recordings.shown.value;
  if (!runs?.ready.value || !entry) return null;
  const { base } = entry;
  const start = (what: "bench" | "bisect", asked: Record<string, unknown>): void => {
    state.value = "busy";
    error.value = "";
    runs.run(what, base, asked)
      .then((ran) => {
        recordings.add(ran, { base, fix: "", asked: entry.asked });
        recordings.show(ran.label);
      }, (reason: unknown) => void (error.value = messageOf(reason)))
      .finally(() => (state.value = ""));
  };
  const measure = (): void => start("bench", { ways: ways.value, training: training.value, seconds: seconds.value });
  const stop = (): void => {
    state.value = "stopping";
    runs.stop();
  };
  const choose = (way: string): void => void (ways.value = WAYS.filter((one) => (one === way) !== ways.value.includes(one)));
  const isBusy = state.value !== "";
  return (
    <div class="dl-measure" data-own>
      <div class="dl-toolbar">
        {isBusy
          ? <button type="button" class="dl-button" disabled={state.value === "stopping"} onClick={stop}>Stop</button>
          : <button type="button" class="dl-button" disabled={ways.value.length === 0} onClick={measure}>Measure</button>}
        {!isBusy && <button type="button" class="dl-button" title="Which part of the compiler makes the result differ from eager, and is it rounding?" onClick={() => start("bisect", {})}>Find the difference</button>}
        {WAYS.map((way) => <label key={way} class="dl-check"><input type="checkbox" disabled={isBusy} checked={ways.value.includes(way)} onChange={() => choose(way)} /> {way}</label>)}
        <label class="dl-check" title="Forward, backward"><input type="checkbox" disabled={isBusy} checked={training.value} onChange={() => (training.value = !training.value)} /> training step</label>
        <label class="dl-check">
          for <select class="dl-select" disabled={isBusy} value={seconds.value} onChange={({ currentTarget: { value } }) => (seconds.value = Number(value))}>
            {SECONDS.map((one) => <option key={one} value={one}>{one} s a series</option>)}
          </select>
        </label>
      </div>
      {isBusy && (
        <p class="dl-dim" role="status">
          {state.value === "stopping"
            ? "Stopping: the current run finishes, and what was measured is kept."
            : `${progress.value?.active ? [progress.value.stage, progress.value.detail].filter(Boolean).join(", ") : "Starting"}. Leave the machine alone meanwhile: other cells and programs make times longer.`}
        </p>
      )}
      {error.value && <p class="dl-would-error" role="alert"><Prose text={error.value} /></p>}
    </div>
  );
}
