import { describe, expect, it } from "vitest";
import { buildKin, type KinIndex } from "../../src/core/kin";
import type { View } from "../../src/core/types.generated";
import { linesIn, statementBelow } from "../../src/kernels/code";
import { cases } from "../cases";
import { graph, kernel, module, small, source, view } from "../sample";

function names(kin: KinIndex, entity: string): string[] {
  const mask = kin.kin(kin.resolve(entity));
  const all = ["line:0:1", "line:0:2", "kernel:0", "kernel:1", "break:0", "guard:0", "frame:0"];
  for (const id of [0, 5]) for (let i = 0; i < 4; i++) all.push(`node:${id}:${i}`);
  return all.filter((name) => kin.resolve(name).some((vertex) => mask[vertex] === 1)).sort();
}

describe("kin", () => {
  it("goes from a line down to its kernels, and not to its neighbours' lines", () => {
    expect(names(buildKin(small()), "line:0:1")).toEqual(["kernel:0", "line:0:1", "node:0:1", "node:5:1", "node:5:2"]);
  });

  it("goes from a kernel up to its lines, and not down again from there", () => {
    expect(names(buildKin(small()), "kernel:0")).toEqual(["kernel:0", "line:0:1", "node:0:1", "node:5:2"]);
  });

  it("goes both ways from a node in the middle", () => {
    expect(names(buildKin(small()), "node:5:3")).toEqual(["kernel:1", "line:0:2", "node:0:2", "node:5:3"]);
  });

  it("goes from a statement to its own nodes and lines, and to none of its kernel's others", () => {
    const sample = small();
    const statements = [[7, [2], "emitted"], [9, [], "unknown"]] as const;
    const kernels = [{ ...kernel(0, 5, [2, 3]), statements }];
    const kin = buildKin({ ...sample, kernels: { ...sample.kernels, kernels } });
    expect(names(kin, "statement:0:7")).toEqual(["line:0:1", "node:0:1", "node:5:2"]);
    expect(names(kin, "statement:0:9")).toEqual([]);
    expect(kin.resolve("statement:0:8")).toEqual([]);
    const below = kin.kin(kin.resolve("line:0:1"));
    expect([7, 9].map((line) => below[kin.vertex("statement", 0, line)])).toEqual([1, 0]);
    expect(linesIn(3, 0, statementBelow(kernels[0], [1, 7, 2, 9, 3, 7]), { kin }, below)).toEqual([1, 3]);
  });

  it("takes a graph or a module for all the nodes it holds", () => {
    const nested = graph({ inputs: [[], [0], [1]], modules: [module("", [0], [1]), module("a", [1], [2]), module("b", [2])] });
    const kin = buildKin(view({ graphs: [nested] }));
    expect(kin.resolve("module:0:1")).toHaveLength(2);
    expect(kin.resolve("graph:0")).toHaveLength(3);
  });

  it("ties a symbol to the line that pinned it down", () => {
    const pinned = { event: "constant", text: "", expression: "", where: "", entity: "line:0:1", line: "" };
    const kin = buildKin(view({
      sources: [source(0, ["if x.shape[0] == 8:"])],
      shapes: {
        symbols: [{
          name: "s0", compile_id: "0/0", frame: "f", is_backed: true, hint: "8", range: "", stands_for: [], value: "8",
          where: "", entity: "", pinned: [pinned], asked: [],
        }],
        others: [],
      },
    }));
    expect(kin.kin(kin.resolve("symbol:0"))[kin.vertex("line", 0, 1)]).toBe(1);
  });

  it("ties breaks, guards and frames to their lines", () => {
    const kin = buildKin(view({
      sources: [{
        ...source(0, ["if y.sum() > 0:"]),
        marks: [{ kind: "break", line: 1, column: 3, end_line: 1, end_column: 14, label: "", target: "break:0" }],
      }],
      breaks: [{
        id: 0, title: "", where: "", text: "", column: -1, end_column: -1, effect: "", frame: "", reason: "", explanation: "",
        advice: [], context: "", registry_id: "", heading: "", link: "", stack: [], before: null, after: [], times: 1, example: null, fixes: [],
      }],
      guards: {
        guards: [{ kind: "", source: "", expressions: [], where: "", entity: "line:0:1", frame: 0, compile_id: "", text: "", is_state: false, failed: "", compile_ids: [] }],
        recompiles: [], refusals: [], costs: [],
      },
    }));
    expect(names(kin, "line:0:1")).toEqual(["break:0", "guard:0", "line:0:1"]);
    expect(names(kin, "break:0")).toEqual(["break:0", "line:0:1"]);
  });

  it("knows no kin of what is not there", () => {
    const kin = buildKin(small());
    for (const name of ["", "node:0:99", "node:9:0", "line:3:1", "kernel:9", "nonsense", "node:a:b"]) {
      expect(kin.resolve(name), name).toEqual([]);
    }
    expect(kin.linked(kin.vertex("line", 0, 3))).toBe(false);
    expect(kin.linked(kin.vertex("line", 0, 1))).toBe(true);
  });

  it("survives links and kernels that point outside of their graphs", () => {
    const broken = view({
      graphs: [graph({ inputs: [[]], stack: [7] })],
      kernels: { kernels: [kernel(0, 3, [0]), kernel(1, 0, [42])], wrappers: [], empty: "", assemblies: [], gpus: [] },
      links: { stacks: [], graph_links: [[0, 9, [0, 0]], [0, 0, [0]]] },
    });
    expect(names(buildKin(broken), "node:0:0")).toEqual(["node:0:0"]);
  });

  it("counts and lists kin by graph", () => {
    const kin = buildKin(small());
    const mask = kin.kin(kin.resolve("line:0:1"));
    expect(kin.nodesIn(mask, 5)).toEqual([1, 2]);
    expect(kin.countNodes(mask, 0)).toBe(1);
    expect(kin.nodesIn(mask, 77)).toEqual([]);
  });
});

interface Kinship {
  readonly view: Partial<View>;
  readonly kin: Readonly<Record<string, readonly string[]>>;
}

describe.each(Object.entries(cases<Readonly<Record<string, Kinship>>>("kin")))("the kin in %s", (_, table) => {
  const kin = buildKin(view(table.view));
  const vertices = new Map(Object.keys(table.kin).map((entity) => [entity, kin.resolve(entity)[0] ?? -1]));

  it("is what Python takes for kin", () => {
    for (const [entity, expected] of Object.entries(table.kin)) {
      const mask = kin.kin(kin.resolve(entity));
      const found = [...vertices].filter(([name, vertex]) => name === entity || mask[vertex] === 1).map(([name]) => name);
      expect([entity, ...found.sort()]).toEqual([entity, ...expected]);
    }
  });
});
