// Scenes and their DOT are those of Python: its tests read the same table.
import { describe, expect, it } from "vitest";
import { buildModel } from "../../src/core/model";
import type { GraphView } from "../../src/core/types.generated";
import { exportDot } from "../../src/graphs/diagram/export";
import { plainColour } from "../../src/graphs/diagram/export-svg";
import { type Cluster, neighbourhood, type Scene, Scenes } from "../../src/graphs/diagram/scenes";
import { visible } from "../../src/graphs/diagram/visible";
import { indicesOf } from "../../src/graphs/graph-index";
import { cases } from "../cases";
import { view } from "../sample";

interface Drawn {
  readonly boxes: readonly string[];
  readonly frames: readonly string[];
  readonly edges: readonly (readonly [string, string, number, boolean])[];
  readonly dot: string;
}

interface Drawings {
  readonly graphs: readonly GraphView[];
  readonly opened: readonly (Drawn & { readonly graph: number; readonly inputs: boolean; readonly open: readonly string[]; readonly count: number })[];
  readonly around: readonly (Drawn & { readonly graph: number; readonly node: number; readonly up: number; readonly down: number; readonly limit: number })[];
  readonly initially_open: readonly (readonly [number, boolean, number, readonly string[]])[];
}

const frames = (cluster: Cluster): string[] => [cluster.id, ...cluster.clusters.flatMap(frames)];

describe.each(Object.entries(cases<Readonly<Record<string, Drawings>>>("scenes")))("scenes of %s", (_, table) => {
  const model = buildModel(view({ graphs: table.graphs }));
  const indexOf = (id: number) => {
    const index = indicesOf(model)(id);
    if (!index) throw new Error(`no graph ${id}`);
    return index;
  };
  const scenes = (graph: number, inputs = true): Scenes => new Scenes(indexOf(graph).graph, model.graphs, inputs);
  const drawn = (scene: Scene): Drawn => ({
    boxes: scene.boxes.map(({ id }) => id),
    frames: frames(scene.root),
    edges: scene.edges.map(({ from, to, weight, isCall }) => [from, to, weight, isCall]),
    dot: exportDot(scene, model.graphs, indexOf),
  });

  it.each(table.opened)("graph $graph with $open open, inputs $inputs", ({ graph, inputs, open, count, ...expected }) => {
    expect(scenes(graph, inputs).count(new Set(open))).toBe(count);
    expect(drawn(scenes(graph, inputs).modules(new Set(open)))).toEqual(expected);
  });

  it.each(table.around)("graph $graph around $node, $up up and $down down", ({ graph, node, up, down, limit, ...expected }) => {
    const { users, graph: of } = indexOf(graph);
    expect(drawn(scenes(graph).nodes(neighbourhood(of, users, node, { up, down }, limit)))).toEqual(expected);
  });

  it.each(table.initially_open)("graph %i, inputs %s, opens up to %i boxes to begin with", (graph, inputs, most, open) => {
    expect([...scenes(graph, inputs).initiallyOpen(most)].sort()).toEqual(open);
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
