import { describe, expect, it } from "vitest";
import { buildKin } from "../../src/core/kin";
import type { BufferView, LoweringStep, LoweringsView } from "../../src/core/types.generated";
import { bufferItems, buffersOf, countedSteps, foundItems, itemEntity, nextStep, placeOf, shownStep, stepItems } from "../../src/lowering/items";
import { loweringPart } from "../../src/lowering/part";
import { graph, kernel, view } from "../sample";

function step(node: number, outcome: LoweringStep["outcome"], ended: readonly number[] = [], made: readonly number[] = []): LoweringStep {
  return { node, name: `n${node}`, operator: "", outcome, sentence: "", rule: "", place: "", made, ended, where: "", entity: "" };
}

function buffer(id: number, nodes: readonly number[], graphId = 0): BufferView {
  return {
    id, name: `buf${id}`, graph: graphId, kind: "pointwise", form: "Pointwise", kernel: "", during: null, nodes, why: "", value: "", size: "",
    layout: "", loops: [], reduction: "", reads: [], readers: [], body: nodes.map((node) => ["ops.add()", "add", node, 0]), where: "", dropped: false,
  };
}

const LOWERED: LoweringsView = {
  lowerings: [
    { compiler: "Inductor", graph: 0, title: "", summary: "", cuda_graphs: null, autotunings: [], counts: [], buffers: [0, 1], steps: [step(0, "input"), step(1, "view"), step(2, "inlined", [0, 1]), step(3, "realised", [1], [1]), step(4, "output")] },
    { compiler: "Inductor", graph: 1, title: "", summary: "", cuda_graphs: null, autotunings: [], counts: [], buffers: [], steps: [step(0, "input"), step(1, "same")] },
  ],
  buffers: [buffer(0, [2]), buffer(1, [2, 3])],
  operators: [], called: [], cuda_trees: [], cuda_unknown: "", empty: "",
};

describe("the rows of a lowering", () => {
  const items = stepItems(LOWERED);

  it("are each graph and its operators, without inputs and outputs", () => {
    expect(items.map(itemEntity)).toEqual(["", "node:0:1", "node:0:2", "node:0:3", "", "node:1:1"]);
  });

  it("begin with the first operator that came to a loop, else with the first", () => {
    expect(shownStep(items, "")).toBe(2);
    expect(shownStep(items, "node:1:1")).toBe(5);
    expect(shownStep(items, "node:9:9")).toBe(2);
    expect(shownStep(items.slice(4), "")).toBe(1);
  });

  it("are counted up to each of them, without the heads of graphs", () => {
    expect([...countedSteps(items)]).toEqual([0, 1, 2, 3, 3, 4]);
    expect([...countedSteps([])]).toEqual([]);
  });

  it("are as many as their tab says", () => {
    const at = view({ lowering: LOWERED });
    expect(loweringPart.count?.(at)).toBe(countedSteps(items).at(-1));
    expect(loweringPart.isEmpty?.(at)).toBe(false);
    expect(loweringPart.isEmpty?.(view({}))).toBe(true);
  });

  it("are found by words of their names, outcomes and reasons", () => {
    expect(foundItems(LOWERED, "real n3").map(itemEntity)).toEqual(["node:0:3"]);
    expect(foundItems(LOWERED, "").length).toBe(items.length);
    expect(foundItems(LOWERED, "nowhere")).toEqual([]);
  });

  it("are stepped through past the heads of graphs, and around the end", () => {
    expect(nextStep(items, 3, 1)).toBe(5);
    expect(nextStep(items, 5, 1)).toBe(1);
    expect(nextStep(items, 1, -1)).toBe(5);
    expect(nextStep([], 0, 1)).toBe(0);
    expect(placeOf(items, "")).toBe(-1);
  });
});

describe("the rows of buffers", () => {
  it("are each graph and its buffers", () => {
    expect(bufferItems(LOWERED).map((item) => ("buffer" in item ? item.buffer.name : "graph"))).toEqual(["graph", "buf0", "buf1", "graph"]);
  });
});

describe("the buffers of an operator", () => {
  it("begin with the one that stores it", () => {
    const shown = (node: number): number[] => buffersOf(LOWERED, LOWERED.lowerings[0].steps[node]).map(({ id }) => id);
    expect(shown(2)).toEqual([0, 1]);
    expect(shown(3)).toEqual([1]);
    expect(shown(1)).toEqual([]);
  });
});

describe("kin of buffers", () => {
  it("are the nodes that they compute and the kernels that make them, also those of a body's buffers", () => {
    const graphs = [graph({ id: 0, inputs: [[], [0], [1], [2]] }), graph({ id: 1, inputs: [[], [0]], parent: 0 })];
    const kernels = [{ ...kernel(0, 0, [2]), buffers: ["buf0", "buf7"] }];
    const lowering = { ...LOWERED, buffers: [...LOWERED.buffers, { ...buffer(2, [1], 1), name: "buf7" }] };
    const kin = buildKin(view({ graphs, kernels: { kernels, wrappers: [], empty: "", assemblies: [], gpus: [] }, lowering }));
    const mask = kin.kin(kin.resolve("buffer:0"));
    expect(mask[kin.vertex("kernel", 0)]).toBe(1);
    expect(kin.nodesIn(mask, 0)).toEqual([2]);
    expect(kin.kin(kin.resolve("buffer:1"))[kin.vertex("kernel", 0)]).toBe(0);
    expect(kin.kin(kin.resolve("node:1:1"))[kin.vertex("kernel", 0)]).toBe(1);
  });
});
