import { describe, expect, it } from "vitest";
import { countBoxes, initiallyOpen, moduleScene, neighbourhood, nodeScene, shownNodes } from "../src/boxes";
import { sceneToDot } from "../src/dot";
import { usersOf } from "../src/graph-index";
import { graph, module } from "./sample";

// x -> [a: 1 -> [a.b: 2 -> 3 -> 4]] -> 5
const nested = graph({
  inputs: [[], [0], [1], [2], [3, 1], [4, 4]],
  modules: [module("", [0, 5], [1]), module("a", [1], [2]), module("a.b", [2, 3, 4])],
});
const all = shownNodes(nested, true);
const edges = (open: number[]) =>
  moduleScene(nested, new Set(open), all).edges.map((e) => `${e.from}>${e.to}x${e.weight}`).sort();

describe("moduleScene", () => {
  it("shows a closed module as one box and joins its edges", () => {
    expect(edges([0])).toEqual(["m1>n5x2", "n0>m1x1"]);
  });

  it("shows an opened module's nodes and boxes, and none of the edges inside a closed one", () => {
    expect(edges([0, 1])).toEqual(["m2>n5x2", "n0>n1x1", "n1>m2x2"]);
    expect(edges([0, 1, 2])).toHaveLength(6);
  });

  it("leaves out inputs that are not shown", () => {
    const scene = moduleScene(nested, new Set([0]), shownNodes(nested, false));
    expect(scene.boxes.map((box) => box.id)).toEqual(["n5", "m1"]);
  });
});

describe("countBoxes", () => {
  it("agrees with the scene", () => {
    for (const open of [[0], [0, 1], [0, 1, 2], [0, 2]]) {
      const set = new Set(open);
      expect(countBoxes(nested, set, all)).toBe(moduleScene(nested, set, all).boxes.length);
    }
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
    const shown = shownNodes(wide, true);
    expect(initiallyOpen(wide, shown, 40).size).toBe(1);
    expect(initiallyOpen(wide, shown, 48).size).toBe(blocks + 1);
  });
});

describe("neighbourhood", () => {
  const chain = graph({ inputs: Array.from({ length: 300 }, (_, i) => (i === 0 ? [] : [i - 1])) });

  it("goes two steps up and down", () => {
    expect(neighbourhood(chain, usersOf(chain), 10)).toEqual([8, 9, 10, 11, 12]);
  });

  it("stays below its limit on a node with hundreds of users", () => {
    const star = graph({ inputs: Array.from({ length: 500 }, (_, i) => (i === 0 ? [] : [0])) });
    expect(neighbourhood(star, usersOf(star), 0, 2, 200)).toHaveLength(200);
  });
});

describe("sceneToDot", () => {
  it("holds our ids and sizes only, no text of the program", () => {
    const hostile = { ...nested, name: nested.name.map(() => '"];evil[label="') };
    const dot = sceneToDot(moduleScene(hostile, new Set([0, 1]), all), () => ({ width: 72, height: 36 }));
    expect(dot).toContain("subgraph cluster_1 {");
    expect(dot).toContain("m2 [width=1.000,height=0.500]");
    expect(dot).toContain("n1 -> m2 [weight=2]");
    expect(dot).not.toContain("evil");
  });

  it("draws a neighbourhood without frames", () => {
    expect(sceneToDot(nodeScene(nested, [2, 3]), () => ({ width: 72, height: 36 }))).not.toContain("cluster");
  });
});
