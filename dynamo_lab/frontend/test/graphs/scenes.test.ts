import { describe, expect, it } from "vitest";
import type { GraphView } from "../../src/core/types.generated";
import { sceneToDot } from "../../src/graphs/diagram/dot";
import { moduleId, neighbourhood, Scenes } from "../../src/graphs/diagram/scenes";
import { usersOf } from "../../src/graphs/graph-index";
import { graph, module } from "../sample";

// x -> [a: 1 -> [a.b: 2 -> 3 -> 4]] -> 5
const nested = graph({
  inputs: [[], [0], [1], [2], [3, 1], [4, 4]],
  modules: [module("", [0, 5], [1]), module("a", [1], [2]), module("a.b", [2, 3, 4])],
});
const opened = (open: readonly number[]) => new Set(open.map((module) => moduleId(0, module)));
const scenes = (of: GraphView, withInputs = true, others: readonly GraphView[] = []) => new Scenes(of, new Map([of, ...others].map((one) => [one.id, one])), withInputs);
const all = scenes(nested);
const edges = (open: readonly number[]) => all.modules(opened(open)).edges.map((e) => `${e.from}>${e.to}x${e.weight}`).sort();

describe("Scenes", () => {
  it("shows a closed module as one box and joins its edges", () => {
    expect(edges([])).toEqual(["m0_1>n0_5x2", "n0_0>m0_1x1"]);
  });

  it("shows an opened module's nodes and boxes, and none of the edges inside a closed one", () => {
    expect(edges([1])).toEqual(["m0_2>n0_5x2", "n0_0>n0_1x1", "n0_1>m0_2x2"]);
    expect(edges([1, 2])).toHaveLength(6);
  });

  it("leaves out inputs that are not shown", () => {
    expect(scenes(nested, false).modules(opened([])).boxes.map((box) => box.id)).toEqual(["n0_5", "m0_1"]);
  });

  it("counts the boxes that it shows", () => {
    for (const open of [[], [1], [1, 2], [2]]) {
      expect(all.count(opened(open))).toBe(all.modules(opened(open)).boxes.length);
    }
  });

  it("opens a body beside the node that calls it, and ties the two", () => {
    const body = { ...graph({ id: 7, inputs: [[], [0]], parent: 0 }), parent_node: 3 };
    const caller = { ...nested, subgraphs: { 3: [7] } };
    const closed = scenes(caller, true, [body]).modules(opened([1, 2]));
    expect(closed.boxes.map((box) => box.graph)).not.toContain(7);
    const open = scenes(caller, true, [body]).modules(new Set([...opened([1, 2]), "b7"]));
    expect(open.boxes.filter((box) => box.graph === 7).map((box) => box.id)).toEqual(["n7_0", "n7_1"]);
    expect(open.edges.filter((edge) => edge.isCall)).toEqual([{ from: "n0_3", to: "n7_0", weight: 1, isCall: true }]);
  });
});

describe("initiallyOpen", () => {
  const blocks = 12;
  const wide = graph({
    inputs: Array.from({ length: blocks * 4 }, (_, i) => (i === 0 ? [] : [i - 1])),
    modules: [
      module("", [], Array.from({ length: blocks }, (_, i) => i + 1)),
      ...Array.from({ length: blocks }, (_, i) => module(`h.${i}`, [i * 4, i * 4 + 1, i * 4 + 2, i * 4 + 3])),
    ],
  });

  it("opens like modules together or not at all", () => {
    expect(scenes(wide).initiallyOpen(40).size).toBe(0);
    expect(scenes(wide).initiallyOpen(48).size).toBe(blocks);
  });
});

describe("neighbourhood", () => {
  const chain = graph({ inputs: Array.from({ length: 300 }, (_, i) => (i === 0 ? [] : [i - 1])) });

  it("goes as many steps up and down as asked", () => {
    expect(neighbourhood(chain, usersOf(chain), 10, { up: 2, down: 1 })).toEqual([8, 9, 10, 11]);
  });

  it("stays below its limit on a node with hundreds of users", () => {
    const star = graph({ inputs: Array.from({ length: 500 }, (_, i) => (i === 0 ? [] : [0])) });
    expect(neighbourhood(star, usersOf(star), 0, { up: 2, down: 2 }, 200)).toHaveLength(200);
  });
});

describe("sceneToDot", () => {
  it("holds our ids and sizes only, no text of the program", () => {
    const hostile = { ...nested, name: nested.name.map(() => '"];evil[label="') };
    const dot = sceneToDot(scenes(hostile).modules(opened([1])), () => ({ width: 72, height: 36 }));
    expect(dot).toContain("subgraph cluster_m0_1 {");
    expect(dot).toContain("m0_2 [width=1.000,height=0.500]");
    expect(dot).toContain("n0_1 -> m0_2 [weight=2]");
    expect(dot).not.toContain("evil");
  });

  it("draws a neighbourhood without frames", () => {
    expect(sceneToDot(all.nodes([2, 3]), () => ({ width: 72, height: 36 }))).not.toContain("cluster");
  });
});
