import { signal } from "@preact/signals";
import { describe, expect, it } from "vitest";
import { diffRows, worksOf } from "../src/compare/pairs";
import { carry as carryBy, carryLine } from "../src/core/carry";
import { buildModel, type Model } from "../src/core/model";
import { Recordings } from "../src/core/recordings";
import { createStore } from "../src/core/store";
import type { Edit, PairView, View, WorkView } from "../src/core/types.generated";
import { carryGraph } from "../src/graphs/carry";
import { kernelLines } from "../src/kernels/lines";
import { PARTS } from "../src/parts";
import { graph, kernel, small, source, view } from "./sample";

const work = (edits: readonly Edit[]): WorkView => ({ a: [0], b: [1, 2], inside: [], title: "", where: "", sentence: "", same: false, edits });
const coded = (id: number, lines: readonly string[]) => ({ ...kernel(id, 0, []), code: `\n${lines.join("\n")}\n` });

describe("worksOf", () => {
  it("tells a pair from the side of the recording that is shown", () => {
    const pair: PairView = { a: "cpu", b: "mps", facts: [], works: [work([])], compilers: null };
    expect(worksOf(pair, "cpu")).toMatchObject([{ own: [0], other: [1, 2], turned: false }]);
    expect(worksOf(pair, "mps")).toMatchObject([{ own: [1, 2], other: [0], turned: true }]);
  });
});

describe("diffRows", () => {
  it("pairs lines that stand for each other, and goes on from kernel to kernel", () => {
    const edits: Edit[] = [["=", 0, 1, 0, 1], ["~", 1, 2, 1, 2], ["+", 2, 2, 2, 4]];
    const rows = diffRows(work(edits), [coded(0, ["x", "y"])], [coded(1, ["x", "z"]), coded(2, ["p", "q"])], true);
    expect(rows).toEqual([[" ", "x"], ["-", "y", "z"], ["+", "z", "y"], ["+", "p", undefined], ["+", "q", undefined]]);
  });

  it("leaves out lines that are the same, but for a few around each change", () => {
    const lines = Array.from({ length: 20 }, (_, i) => `l${i}`);
    const edits: Edit[] = [["-", 0, 1, 0, 0], ["=", 1, 20, 0, 19]];
    const [a, b] = [[coded(0, lines)], [coded(1, lines.slice(1))]];
    expect(diffRows(work(edits), a, b, false).map(([sign, text]) => sign + text)).toEqual(["-l0", " l1", " l2", " l3", "16 lines the same"]);
    expect(diffRows(work(edits), a, b, true)).toHaveLength(20);
  });
});

/** The same program, where sources and graphs have other numbers. */
function renumbered(): View {
  const one = small();
  return view({
    sources: [source(4, ["# new", "return y * 2"], "cell", "cell"), source(9, ["other"], "user", "other")],
    graphs: one.graphs.map((of) => ({ ...of, id: of.id + 7 })),
    kernels: { kernels: [kernel(0, 12, [2, 3])], wrappers: [], empty: "", assemblies: [], gpus: [] },
    links: { stacks: [[[4, 1]], [[4, 2]]], graph_links: [] },
  });
}

const carry = (text: string, from: Model, to: Model): string => carryBy(PARTS, text, from, to);

describe("carry", () => {
  const from = buildModel(small());
  const to = buildModel(renumbered());

  it("finds a line by its file, and a node by stage and name", () => {
    expect(carry("line:0:2", from, to)).toBe("line:4:2");
    expect(carry("node:5:3", from, to)).toBe("node:12:3");
    expect(carryGraph(0, from, to)).toBe(7);
    expect(carryLine([0, 1], from, to)).toEqual([4, 1]);
  });

  it("goes to the line where there is no such node, and to nothing where there is no such line", () => {
    const bare = buildModel(view({ sources: renumbered().sources, graphs: [graph({ id: 1, inputs: [] })] }));
    expect(carry("node:5:3", from, bare)).toBe("line:4:2");
    expect(carry("line:0:3", from, to)).toBe("");
    expect(carry("break:0", from, to)).toBe("");
    expect(carry("", from, to)).toBe("");
  });

  it("takes a kernel for the line that it came from", () => {
    expect(kernelLines(from, 1)).toEqual([[0, 2]]);
    expect(carry("kernel:1", from, to)).toBe("line:4:2");
    expect(kernelLines(from, 99)).toEqual([]);
  });

  it("keeps what is pinned when another recording is shown", () => {
    const recordings = new Recordings();
    recordings.reset({ labels: ["a", "b"], views: [small(), renumbered()], ranks: null, lines: [], pairs: [] });
    const store = createStore({ recordings, progress: signal(null), failure: signal(""), asset: () => Promise.reject(new Error()) }, PARTS);
    store.go("line:0:2");
    recordings.show("b");
    expect(store.pin.value).toBe("line:4:2");
    expect(store.held.value).not.toBeNull();
    recordings.show("a");
    expect(store.pin.value).toBe("line:0:2");
    store.close();
  });
});

describe("several entities", () => {
  it("stand for all that each stands for", () => {
    const { kin } = buildModel(small());
    expect(kin.resolve("kernel:0 kernel:1")).toEqual([...kin.resolve("kernel:0"), ...kin.resolve("kernel:1")]);
    expect(kin.resolve("kernel:9 kernel:1")).toEqual(kin.resolve("kernel:1"));
  });
});
