// What is updated: the last layers and a share of their weights, or each parameter by itself.
import { Fold, Go } from "../ui/bits";
import type { TrainingParameter } from "../core/types.generated";
import { layersOf, type Shares, STOPS, stopOf } from "./replan";
import { grouped } from "../core/words";

const percent = (share: number): string => `${Math.round(100 * share * 10) / 10} %`;

interface RangeProps {
  readonly label: string;
  readonly told: string;
  readonly stops: number;
  readonly value: number;
  readonly isOff?: boolean;
  choose(stop: number): void;
}

export function Range({ label, told, stops, value, isOff, choose }: RangeProps) {
  return (
    <label class="dl-training-range">
      <span>{label}</span>
      <input type="range" min={0} max={Math.max(0, stops - 1)} value={value} disabled={isOff} aria-valuetext={told} onInput={(event) => choose(Number(event.currentTarget.value))} />
      <output>{told}</output>
    </label>
  );
}

interface OverallProps {
  readonly parameters: readonly TrainingParameter[];
  /** What can be chosen, sorted. */
  readonly layers: readonly number[];
  readonly shares: readonly number[];
  /** What is chosen, null where it is something else. */
  readonly chosen: { readonly layers: number; readonly share: number } | null;
  choose(layers: number, share: number): void;
}

/** Two sliders for the whole model. */
export function Overall({ parameters, layers, shares, chosen, choose }: OverallProps) {
  const count = layersOf(parameters).length;
  const at = chosen ?? { layers: layers[layers.length - 1], share: shares[shares.length - 1] };
  const told = (k: number): string => (k === 0 ? "biases only" : `last ${k} of ${count}`);
  return (
    <>
      <Range label="Layers that are updated" told={chosen ? told(at.layers) : "as set"} stops={layers.length} value={Math.max(0, layers.indexOf(at.layers))} choose={(i) => choose(layers[i], at.share)} />
      <Range label="Input channels of their weights" told={chosen ? (at.layers === 0 ? "none" : percent(at.share)) : "as set"} stops={shares.length} value={Math.max(0, shares.indexOf(at.share))} isOff={at.layers === 0} choose={(i) => choose(at.layers, shares[i])} />
    </>
  );
}

interface EachProps {
  readonly parameters: readonly TrainingParameter[];
  readonly shares: Shares;
  /** Absent where no kernel plans it. */
  readonly set?: (name: string, share: number) => void;
}

/** Each parameter: a slider where channels can be chosen, else all of it or nothing. */
export function Each({ parameters, shares, set }: EachProps) {
  return (
    <Fold label="Parameter by parameter">
      <div class="dl-training-each">
        {parameters.map(({ name, channels, elements, entity }) => {
          const share = shares.get(name) ?? 0;
          const label = entity ? <Go to={entity}>{name}</Go> : <code>{name}</code>;
          return (
            <div key={name} class="dl-training-parameter">
              {label}
              {channels > 0 ? (
                <input type="range" min={0} max={STOPS.length - 1} value={stopOf(share)} disabled={!set} aria-label={`Share of ${name}`} aria-valuetext={percent(share)} onInput={(event) => set?.(name, STOPS[Number(event.currentTarget.value)])} />
              ) : (
                <input type="checkbox" checked={share > 0} disabled={!set} aria-label={`Update ${name}`} onChange={(event) => set?.(name, event.currentTarget.checked ? 1 : 0)} />
              )}
              <span class="dl-dim">{share === 0 ? "none" : share === 1 ? "all" : percent(share)} of {grouped(elements)}</span>
            </div>
          );
        })}
      </div>
    </Fold>
  );
}
