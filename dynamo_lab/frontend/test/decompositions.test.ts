import { signal } from "@preact/signals";
import { describe, expect, it } from "vitest";
import { buildKin } from "../src/core/kin";
import { modelOf } from "../src/core/model";
import { createStore } from "../src/core/store";
import type { CallView, DecompositionsView, TreesView, View } from "../src/core/types.generated";
import { decompositionsState, operatorsOf } from "../src/decompositions/state";
import { pathsBelow, rowsOf } from "../src/decompositions/trees";
import { PARTS } from "../src/parts";
import { NO_DECOMPOSITIONS, showing, small } from "./sample";

const call = (operator: string, step: number, leaves: number): CallView => ({
  operator, arguments: "f32[8]", value: "f32[8]", ways: [[-1, "set", ""], [step, step < 0 ? "set" : "", ""], [step, "", ""]], leaves: [1, leaves, leaves], problem: "",
});

/** gelu becomes mul, to and erf; mul becomes one prim; to becomes nothing. */
const TREES: TreesView = {
  calls: [call("aten.gelu.default", 0, 2), call("aten.mul.Tensor", 1, 1), call("aten.to.dtype", 2, 0), call("aten.erf.default", -1, 1), call("prims.mul.default", -1, 1)],
  steps: [
    { rule: 0, inputs: ["self"], rows: [[1, "mul", "self, 0.5"], [2, "to", "mul"], [3, "erf", "mul"]], returns: "erf" },
    { rule: 0, inputs: ["self"], rows: [[4, "mul", "self"]], returns: "mul" },
    { rule: 0, inputs: ["self"], rows: [], returns: "self" },
  ],
  rules: [{ kind: "registered decomposition", name: "gelu", where: "", text: "" }],
};

const FOUND: DecompositionsView = {
  ...NO_DECOMPOSITIONS, empty: "", trees: TREES,
  tops: [{ call: 0, rule: 0, times: 1, where: "line 1", nodes: [[5, 1], [5, 2]] }],
  operators: [{ operator: "aten.gelu.default", times: 1, became: [1, 2, 2], rule: 0, tops: [0] }],
};

const withTrees = (): View => ({ ...small(), decompositions: FOUND });

describe("trees", () => {
  it("have rows where a rule fires towards the set, and none where the call stays", () => {
    expect(rowsOf(TREES, 0, 0)).toBeNull();
    expect(rowsOf(TREES, 0, 1)?.map(([, name]) => name)).toEqual(["mul", "to", "erf"]);
    expect(rowsOf(TREES, 3, 1)).toBeNull();
  });

  it("unfold all that shows something, level by level, up to a number of rows", () => {
    expect(pathsBelow(TREES, 0, 1)).toEqual(["0", "0.0"]);
    expect(pathsBelow(TREES, 0, 1, 1)).toEqual(["0"]);
    expect(pathsBelow(TREES, 3, 1)).toEqual([]);
  });
});

describe("an operator", () => {
  it("stands for the nodes it became: their kin are its kin", () => {
    const kin = buildKin(withTrees());
    const mask = kin.kin(kin.resolve("operator:0"));
    expect(kin.nodesIn(mask, 5)).toEqual([1, 2]);
    expect(mask[kin.vertex("line", 0, 1)]).toBe(1);
    expect(mask[kin.vertex("line", 0, 2)]).toBe(0);
    expect(kin.resolve("operator:9")).toEqual([]);
  });

  it("is shown in its tab, and is found from its nodes", () => {
    const store = createStore({ recordings: showing(withTrees()), progress: signal(null), failure: signal(""), asset: () => Promise.reject(new Error()) }, PARTS);
    const model = modelOf(withTrees());
    store.go("operator:0");
    expect(store.tab.value).toBe("decompositions");
    expect(decompositionsState(store).operator.value).toBe(0);
    expect(operatorsOf(model)(5, 2)).toEqual([0]);
    expect(operatorsOf(model)(0, 1)).toEqual([]);
    store.close();
  });
});
