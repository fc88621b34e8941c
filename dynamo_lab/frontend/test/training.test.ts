// The sliders of a training step: what they select, what the kernel is asked, and that only the newest wish is asked.
import { expect, test } from "vitest";
import { Recordings } from "../src/core/recordings";
import type { PassesView, TrainingChoice, TrainingParameter, TrainingPlanView, View } from "../src/core/types.generated";
import { choiceOf, lastLayers, layersOf, newest, offered, sharesOf, stopOf, updateOf } from "../src/tiny/replan";
import { withPlan } from "../src/tiny/state";

const parameter = (name: string, channels: number, updated = 0): TrainingParameter => ({
  name, module: name.slice(0, name.lastIndexOf(".")), elements: 8, channels, updated, entity: "",
});

const MODEL = [parameter("a.weight", 4), parameter("a.bias", 0), parameter("norm.weight", 0), parameter("b.weight", 4, 0.5), parameter("b.bias", 0, 1)];

test("the last layers are updated with a share of the weights that have channels to choose", () => {
  expect(layersOf(MODEL)).toEqual(["a", "norm", "b"]);
  expect([...lastLayers(MODEL, 2, 0.25)]).toEqual([["a.weight", 0], ["a.bias", 0], ["norm.weight", 1], ["b.weight", 0.25], ["b.bias", 1]]);
  expect(updateOf(MODEL, lastLayers(MODEL, 0, 1))).toEqual({ "a.bias": "all", "b.bias": "all" });
});

test("the kernel is asked with shares, and with all where there is nothing to choose", () => {
  expect(updateOf(MODEL, sharesOf(MODEL))).toEqual({ "b.weight": 0.5, "b.bias": "all" });
  expect(updateOf(MODEL, new Map([["norm.weight", 0.3], ["a.weight", 1]]))).toEqual({ "a.weight": "all", "norm.weight": "all" });
  expect(updateOf(MODEL, new Map())).toEqual({});
});

test("a little is never shown as nothing", () => {
  expect([0, 0.01, 0.3, 1].map(stopOf)).toEqual([0, 1, 2, 5]);
});

test("a page takes the plan that comes nearest", () => {
  const plan = {} as TrainingPlanView;
  const choices: TrainingChoice[] = [{ layers: 0, share: 1, plan }, { layers: 2, share: 0.25, plan }, { layers: 2, share: 1, plan }];
  expect(offered(choices)).toEqual({ layers: [0, 2], shares: [0.25, 1] });
  expect(choiceOf(choices, 2, 0.4)?.share).toBe(0.25);
  expect(choiceOf(choices, 0, 0.25)?.share).toBe(1);
  expect(choiceOf(choices, 1, 1)).toBeUndefined();
});

test("another plan is told of by the summary, and the view as it was comes back", () => {
  const [plan, other] = [{ size: "9 kB" }, { size: "5 kB", headline: "It needs 5 kB.", counts: [{ value: "2", label: "operations" }] }] as unknown as TrainingPlanView[];
  const training = { plan, choices: [] };
  const own = { summary: { title: "t", sentence: "It needs 9 kB.", counts: [] }, passes: {} as PassesView, training } as unknown as View;
  const recordings = new Recordings();
  recordings.reset(own);
  const shown = withPlan(own, training, other);
  recordings.amend(shown);
  expect(recordings.view.value).toBe(shown);
  expect(shown.summary).toEqual({ title: "t", sentence: other.headline, counts: other.counts });
  expect(shown.training?.plan).toBe(other);
  expect(shown.passes).toBe(own.passes);
  expect(recordings.shown.value?.view).toBe(own);
  recordings.amend(null);
  expect(recordings.view.value).toBe(own);
  recordings.amend(shown);
  const next = { ...own };
  recordings.reset(next); // what was shown in place of another view is not shown in place of this one
  expect(recordings.view.value).toBe(next);
});

test("while an answer is awaited only the newest wish waits", async () => {
  const asked: number[] = [];
  const done: (() => void)[] = [];
  const ask = newest((wish: number) => new Promise<void>((resolve) => { asked.push(wish); done.push(resolve); }));
  [1, 2, 3].forEach(ask);
  expect(asked).toEqual([1]);
  done[0]();
  await new Promise((resolve) => setTimeout(resolve));
  expect(asked).toEqual([1, 3]);
});
