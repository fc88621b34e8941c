import { Graphviz } from "@hpcc-js/wasm-graphviz";
import { describe, expect, it } from "vitest";
import { sceneToDot } from "../src/graphs/diagram/dot";
import { Scenes } from "../src/graphs/diagram/scenes";
import { carried, fit } from "../src/layout/canvas";
import { readLayout } from "../src/layout/layout";
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

describe("fit", () => {
  it("shows all of a small drawing in the middle", () => {
    expect(fit(100, 50, 400, 300, { x: 0, y: 0, isTop: true })).toEqual({ x: 142.5, y: 121.25, scale: 1.15 });
  });

  it("shows a wide drawing at a size that can be read, with its focus in sight", () => {
    const { x, scale } = fit(8000, 100, 800, 600, { x: 6000, y: 0, isTop: true });
    expect(scale).toBeGreaterThan(0.5);
    expect(6000 * scale + x).toBeCloseTo(400);
    expect(fit(100, 9000, 800, 600, { x: 0, y: 4000, isTop: true }).y).toBeCloseTo(8 - 4000 * 0.75);
    expect(fit(8000, 100, 800, 600, { x: 0, y: 0, isTop: true }).x).toBe(8);
  });
});

describe("fingers on a drawing", () => {
  const at = { x: 10, y: 20, scale: 1 };
  const under = ({ x, y, scale }: typeof at, point: { x: number; y: number }) => ({ x: (point.x - x) / scale, y: (point.y - y) / scale });

  it("move it with one, and keep its scale", () => {
    expect(carried(at, [{ x: 5, y: 5 }], [{ x: 25, y: 0 }])).toEqual({ x: 30, y: 15, scale: 1 });
  });

  it("enlarge it with two, and what was under each stays there", () => {
    const from = [{ x: 100, y: 100 }, { x: 200, y: 100 }];
    const to = [{ x: 80, y: 140 }, { x: 280, y: 140 }];
    const after = carried(at, from, to);
    expect(after.scale).toBe(2);
    from.forEach((point, i) => expect(under(after, to[i])).toEqual(under(at, point)));
  });

  it("do not lose it where both are on one point", () => {
    const point = { x: 50, y: 50 };
    expect(Number.isFinite(carried(at, [point, point], [point, { x: 90, y: 50 }]).x)).toBe(true);
  });
});
