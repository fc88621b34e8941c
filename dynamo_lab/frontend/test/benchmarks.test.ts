import { describe, expect, it } from "vitest";
import { cachesOf, grouped, LEGEND, scaleOf, STRIP, tickText, y } from "../src/benchmarks/charts";
import { timeOf } from "../src/benchmarks/state";
import { buildModel } from "../src/core/model";
import { Sources } from "../src/core/places";
import { createStore } from "../src/core/store";
import type { AgainstEager, BenchView, KernelGroupView, ProgramView, TimeView } from "../src/core/types.generated";
import { colouring, modesOf } from "../src/graphs/diagram/colours";
import { GraphIndex } from "../src/graphs/graph-index";
import { slownessOf } from "../src/kernels/timing";
import { PARTS } from "../src/parts";
import { graph, kernel, showing, small, view } from "./sample";

const row = (seconds: number[], warmup: number[] = []): TimeView => ({
  way: 0, name: "eager", seconds, warmup, low: seconds[0], median: seconds[0], high: seconds[0], time: "", quartiles: "", rounds: "",
  factor: "", interval: "", tone: "plain", compile: "", pays_off: "", memory: "", doubts: [],
});

describe("the strip", () => {
  it("has one scale for all ways, and warm-ups beyond it lie at its edge", () => {
    const scale = scaleOf([row([1, 2], [9]), row([3])]);
    expect(scale.x(1)).toBe(STRIP.pad);
    expect(scale.x(3)).toBe(STRIP.width - STRIP.pad);
    expect(scale.x(9)).toBe(scale.x(3));
    expect(scale.x(2)).toBe(STRIP.width / 2);
  });

  it("draws times that are all the same", () => {
    expect(Number.isFinite(scaleOf([row([2, 2])]).x(2))).toBe(true);
    expect(Number.isFinite(scaleOf([row([0])]).x(0))).toBe(true);
  });

  it("puts the first round on top", () => {
    expect(y(0, 3)).toBeLessThan(y(2, 3));
    expect(y(2, 3)).toBeLessThan(STRIP.height);
  });
});

const pair = (kernels: number | null, eager: number | null, rank: number): AgainstEager => ({
  kernels, eager, kernels_text: "", eager_text: "", factor: "", interval: "", outcome: "", gain: "", rank,
});
const group = (title: string, cold: AgainstEager, warm: AgainstEager): KernelGroupView => ({
  title, operators: "", kernels: [], eager: [], cold, warm, share: "", launch: "", where: "", line: "", why: "",
});

describe("a whole call", () => {
  it("has no part in the colour of an outcome: its kernels are not faster than anything", () => {
    expect(LEGEND.filter((look) => /faster|slower|alike/.test(look))).toEqual([]);
  });
});

const PROGRAM: ProgramView = {
  title: "", way: 0, phase: "forward", whole: "", parts: [], remainder: "", problem: "", adds_up: true, remarks: [], slowest: null, groups: [],
};

describe("the caches to choose", () => {
  it("are those that something was timed with", () => {
    const nothing = pair(null, null, 0);
    expect(cachesOf({ ...PROGRAM, groups: [group("a", nothing, pair(2, null, 0)), group("b", nothing, nothing)] })).toEqual(["warm"]);
    expect(cachesOf({ ...PROGRAM, groups: [group("a", pair(null, 1, 0), pair(2, 1, 0))] })).toEqual(["cold", "warm"]);
    expect(cachesOf(PROGRAM)).toEqual([]);
  });
});

describe("groups", () => {
  const program: ProgramView = {
    ...PROGRAM,
    groups: [group("a", pair(1, 3, 1), pair(2, 1, 0)), group("b", pair(4, null, 0), pair(null, null, 1))],
  };

  it("stand in the order of the caches that are chosen, on one scale", () => {
    expect(grouped(program, "cold").groups.map((one) => one.title)).toEqual(["b", "a"]);
    expect(grouped(program, "warm").groups.map((one) => one.title)).toEqual(["a", "b"]);
    expect(grouped(program, "cold").most).toBe(4);
    expect(grouped({ ...program, groups: [] }, "cold").most).toBe(1);
  });
});

const BENCH: BenchView = {
  title: "f", state: "", created: "", verdicts: [], ways: [], sections: [], agreements: [], doubts: [], machine: [], roofline: null, memory: null, changes: "",
  kernels: { programs: [], kernels: [[0, "12 \u00b5s, 8 %"]], nodes: [], lines: [] },
};

describe("where times are shown", () => {
  it("has a tab only with a benchmark, or where one can be made", () => {
    const store = (bench: BenchView | null) =>
      createStore({ recordings: showing(view({ bench })), progress: { value: null } as never, failure: { value: "" } as never, asset: () => Promise.reject() }, PARTS);
    expect(store(null).tabs.value).not.toContain("bench");
    expect(store(null).tab.value).not.toBe("bench");
    expect(store(BENCH).tabs.value).toContain("bench");
    expect(store(BENCH).tab.value).toBe("bench");
  });

  it("tells the time of a kernel", () => {
    const model = buildModel({ ...small(), bench: BENCH });
    expect(timeOf(model)(0)).toBe("12 \u00b5s, 8 %");
    expect(timeOf(model)(1)).toBe("");
  });

  it("tells the slowest kernel from others, or those that times do not tell apart", () => {
    const slowest = (...ids: number[]) => {
      const kernels = ids.map((id) => ({ id, title: "", where: "", line: "" }));
      return slownessOf(buildModel({ ...small(), bench: { ...BENCH, kernels: { ...BENCH.kernels, programs: [{ ...PROGRAM, slowest: { sentence: "", kernels } }] } } }));
    };
    expect([0, 1].map(slowest(1))).toEqual(["", "slowest"]);
    expect([0, 1, 2].map(slowest(0, 2))).toEqual(["among the slowest", "", "among the slowest"]);
    expect(slownessOf(buildModel({ ...small(), bench: BENCH }))(0)).toBe("");
  });

  it("colours nodes by time, in steps from the shortest to the longest", () => {
    const graphs = graph({ id: 4, inputs: [[], [0], [1], [2]] });
    const index = new GraphIndex(graphs, [], new Sources(view({})));
    const timed = [[4, 1, 1e-6, "kernel 0: 1.0 \u00b5s"], [4, 2, 1e-4, "kernel 1: 100 \u00b5s"], [7, 3, 1, "eager: 1 s"]] as const;
    expect(modesOf(graphs, [kernel(0, 4, [1])], timed)).toContain("time");
    expect(modesOf(graphs, [], [])).not.toContain("time");
    const colours = colouring("time", index, [], timed);
    const last = colours.entries.length - 1;
    expect([0, 1, 2, 3].map((node) => colours.entryOf(index, node))).toEqual([-1, 0, last - 1, last]);
    expect(colours.detailOf(index, 2)).toBe("kernel 1: 100 \u00b5s");
    expect(colours.entries[last - 1].label).toBe("up to 100 \u00b5s");
  });
});

it("ticks are told apart, in the unit of the largest", () => {
  const close = [0.00855, 0.0086, 0.00865];
  expect(close.map((tick) => tickText(tick, close))).toEqual(["8.55 ms", "8.60 ms", "8.65 ms"]);
  const wide = [0, 0.5, 1];
  expect(wide.map((tick) => tickText(tick, wide))).toEqual(["0.0 s", "0.5 s", "1.0 s"]);
  expect(tickText(2e-6, [2e-6])).toBe("2 \u00b5s");
});
