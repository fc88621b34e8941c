// What is updated, as sliders say it: a share of each parameter, and what the kernel is asked with it.
import type { TrainingChoice, TrainingParameter } from "../core/types.generated";

/** By parameter the share of it that is updated, 0 for none. */
export type Shares = ReadonlyMap<string, number>;

/** The shares of input channels that a slider stops at. */
export const STOPS: readonly number[] = [0, 0.125, 0.25, 0.5, 0.75, 1];

/** The modules with parameters of their own, in the model's order. */
export function layersOf(parameters: readonly TrainingParameter[]): string[] {
  return [...new Set(parameters.map(({ module }) => module))];
}

export function sharesOf(parameters: readonly TrainingParameter[]): Shares {
  return new Map(parameters.map(({ name, updated }) => [name, updated]));
}

const isBias = (name: string): boolean => name.endsWith(".bias") || name === "bias";

/** The last layers whole, but of a weight whose channels can be chosen that share; of none the biases alone. */
export function lastLayers(parameters: readonly TrainingParameter[], layers: number, share: number): Shares {
  const all = layersOf(parameters);
  const kept = new Set(layers > 0 ? all.slice(-layers) : []);
  return new Map(
    parameters.map(({ name, module, channels }) => {
      if (layers === 0) return [name, isBias(name) ? 1 : 0];
      return [name, kept.has(module) ? (channels > 0 ? share : 1) : 0];
    }),
  );
}

/** What the kernel takes: names with "all" or a share, without what is not updated. */
export function updateOf(parameters: readonly TrainingParameter[], shares: Shares): Record<string, number | "all"> {
  const chosen = parameters.map(({ name, channels }) => [name, channels > 0 ? (shares.get(name) ?? 0) : (shares.get(name) ?? 0) > 0 ? 1 : 0] as const);
  return Object.fromEntries(chosen.filter(([, share]) => share > 0).map(([name, share]) => [name, share >= 1 ? "all" : share]));
}

/** The stop of a slider that is nearest to a share; a little is never none. */
export function stopOf(share: number): number {
  if (share === 0) return 0;
  const far = STOPS.map((stop, i) => (i === 0 ? Infinity : Math.abs(stop - share)));
  return far.indexOf(Math.min(...far));
}

/** How many layers a page can show, and with which shares. */
export function offered(choices: readonly TrainingChoice[]): { layers: number[]; shares: number[] } {
  const sorted = (values: Iterable<number>): number[] => [...new Set(values)].sort((a, b) => a - b);
  return { layers: sorted(choices.map(({ layers }) => layers)), shares: sorted(choices.map(({ share }) => share)) };
}

/** The plan made ahead of time that comes nearest: of as many layers, with the nearest share that there is. */
export function choiceOf(choices: readonly TrainingChoice[], layers: number, share: number): TrainingChoice | undefined {
  const same = choices.filter((one) => one.layers === layers);
  return same.sort((a, b) => Math.abs(a.share - share) - Math.abs(b.share - share))[0];
}

/** Asks with the newest wish only: while an answer is awaited, others wait, and the last of them is sent. */
export function newest<Wish>(answer: (wish: Wish) => Promise<void>): (wish: Wish) => void {
  let waiting: { wish: Wish } | null = null;
  let isAsked = false;
  const send = (wish: Wish): void => {
    isAsked = true;
    void answer(wish).finally(() => {
      isAsked = false;
      const next = waiting;
      waiting = null;
      if (next) send(next.wish);
    });
  };
  return (wish) => (isAsked ? void (waiting = { wish }) : send(wish));
}
