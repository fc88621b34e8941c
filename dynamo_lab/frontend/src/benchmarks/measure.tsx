// Measure: the kernel compiles the program in each way, checks it, and times them in turns.
import { useSignal } from "@preact/signals";
import { HowFar, StopButton, useMeasuring } from "../ui/runs/measuring";

const WAYS = ["compiled", "reduce-overhead", "max-autotune", "aot_eager"] as const;
/** Seconds a series, of which there is one for each phase and cache. */
const SECONDS = [5, 20, 60] as const;

export function Measure() {
  const measuring = useMeasuring();
  const ways = useSignal<readonly string[]>(WAYS.slice(0, 1));
  const training = useSignal(false);
  const seconds = useSignal<number>(SECONDS[0]);
  if (!measuring) return null;
  const measure = (): void => measuring.start("bench", { ways: ways.value, training: training.value, seconds: seconds.value });
  const choose = (way: string): void => void (ways.value = WAYS.filter((one) => (one === way) !== ways.value.includes(one)));
  const isBusy = measuring.state !== "";
  return (
    <div class="dl-measure" data-own>
      <div class="dl-toolbar">
        {isBusy
          ? <StopButton of={measuring} />
          : <button type="button" class="dl-button" disabled={ways.value.length === 0} onClick={measure}>Measure</button>}
        {!isBusy && <button type="button" class="dl-button" title="Which part of the compiler makes the result differ from eager, and is it rounding?" onClick={() => measuring.start("bisect", {})}>Find the difference</button>}
        {WAYS.map((way) => <label key={way} class="dl-check"><input type="checkbox" disabled={isBusy} checked={ways.value.includes(way)} onChange={() => choose(way)} /> {way}</label>)}
        <label class="dl-check" title="Forward, backward"><input type="checkbox" disabled={isBusy} checked={training.value} onChange={() => (training.value = !training.value)} /> training step</label>
        <label class="dl-check">
          for <select class="dl-select" disabled={isBusy} value={seconds.value} onChange={({ currentTarget: { value } }) => (seconds.value = Number(value))}>
            {SECONDS.map((one) => <option key={one} value={one}>{one} s a series</option>)}
          </select>
        </label>
      </div>
      <HowFar of={measuring} />
    </div>
  );
}
