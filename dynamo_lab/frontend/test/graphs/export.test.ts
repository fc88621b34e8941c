// The DOT of the browser is that of Python: the goldens are those of tests/render/test_dot.py.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { buildModel } from "../../src/core/model";
import type { View } from "../../src/core/types.generated";
import { exportDot } from "../../src/graphs/diagram/export";
import { plainColour } from "../../src/graphs/diagram/export-svg";
import { neighbourhood, type Scene, Scenes } from "../../src/graphs/diagram/scenes";
import { visible } from "../../src/graphs/diagram/visible";
import { indicesOf } from "../../src/graphs/graph-index";
import { view } from "../sample";

const read = (path: string): string => readFileSync(new URL(`../../../../tests/${path}`, import.meta.url), "utf8");
const shared = JSON.parse(read("view/golden/search/test_the_view_that_both_search.txt")) as Pick<View, "graphs" | "links" | "sources">;
const model = buildModel(view(shared));
const index = indicesOf(model)(0);
if (!index) throw new Error("no graph");
const scenes = new Scenes(index.graph, model.graphs, true);
const dot = (scene: Scene): string => exportDot(scene, model.graphs, (id) => indicesOf(model)(id) ?? index);
const golden = (name: string): string => read(`render/golden/dot/${name}.txt`);

describe("exportDot", () => {
  it("collapses modules as Python does", () => {
    expect(dot(scenes.modules(scenes.initiallyOpen()))).toBe(golden("test_modules_are_collapsed"));
  });

  it("opens bodies as Python does", () => {
    expect(dot(scenes.modules(new Set(["b1", "b2", "m0_1"])))).toBe(golden("test_bodies_open_beside_the_node_that_calls_them"));
  });

  it("shows what is around a node as Python does", () => {
    const cond = index.graph.name.indexOf("cond");
    expect(dot(scenes.nodes(neighbourhood(index.graph, index.users, cond, { up: 2, down: 1 })))).toBe(golden("test_around_a_node"));
  });
});

describe("visible", () => {
  it("writes out what would act on a screen", () => {
    expect(visible("a\x1b[0m\u202eb\u{e0041}\tc\nd")).toBe("a\\x1b[0m\\u202eb\\U000e0041    c\nd");
  });
});

describe("plainColour", () => {
  it("writes a mixed colour as programs other than browsers read it", () => {
    expect(plainColour("color(srgb 1 0.5 0 / 0.25)")).toEqual(["rgb(255, 128, 0)", "0.25"]);
    expect(plainColour("rgb(1, 2, 3)")).toEqual(["rgb(1, 2, 3)", ""]);
  });
});
