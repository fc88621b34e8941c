import { Graphviz } from "@hpcc-js/wasm-graphviz";
import { describe, expect, it } from "vitest";
import { Scenes } from "../src/boxes";
import { sceneToDot } from "../src/dot";
import { readLayout } from "../src/layout";
import { graph, module } from "./sample";

describe("readLayout", () => {
  it("places every box, frame and edge of a scene that Graphviz laid out", async () => {
    const nested = graph({ inputs: [[], [0], [1]], modules: [module("", [0], [1]), module("a", [1, 2])] });
    const scene = new Scenes(nested, new Map([[0, nested]]), true).modules(new Set(["m0_1"]));
    const graphviz = await Graphviz.load();
    const layout = readLayout(graphviz.layout(sceneToDot(scene, () => ({ width: 80, height: 36 })), "json", "dot"));
    expect([...layout.boxes.keys()].sort()).toEqual(["n0_0", "n0_1", "n0_2"]);
    expect(layout.boxes.get("n0_1")?.width).toBeCloseTo(80, 0);
    expect(layout.edges.map((edge) => `${edge.from}>${edge.to}`).sort()).toEqual(["n0_0>n0_1", "n0_1>n0_2"]);
    const frame = layout.clusters.get("m0_1");
    const inside = layout.boxes.get("n0_2");
    if (!frame || !inside) throw new Error("not placed");
    expect(inside.y).toBeGreaterThan(frame.y);
    expect(inside.y + inside.height).toBeLessThanOrEqual(frame.y + frame.height);
    // Graphviz counts upwards, the screen downwards: what is computed later must be lower.
    expect(inside.y).toBeGreaterThan(layout.boxes.get("n0_1")?.y ?? Infinity);
  });
});
