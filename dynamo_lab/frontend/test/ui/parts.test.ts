import { describe, expect, it } from "vitest";
import { splitAt } from "../../src/breaks/breaks";
import type { GuardView, PhaseView } from "../../src/core/types.generated";
import { moduleLabel } from "../../src/graphs/diagram/labels";
import { groupGraphs, rootOf, stageName } from "../../src/graphs/groups";
import { failing, guardRows, withoutFolded } from "../../src/guards/guards";
import { Assets } from "../../src/hosts/assets";
import { firstWithCode, kernelItems, kinItems } from "../../src/kernels/items";
import { bars, neighbour, rowsOf, ticks } from "../../src/ui/icicle";
import { graph, kernel, module } from "../sample";

describe("groupGraphs", () => {
  it("makes one group a captured graph, stages in order and the backward ones last", () => {
    const graphs = [
      graph({ id: 1, inputs: [], stage: "post_grad", isBackward: true }), graph({ id: 2, inputs: [], stage: "post_grad" }),
      graph({ id: 3, inputs: [], stage: "backward", isBackward: true }), graph({ id: 4, inputs: [], stage: "dynamo" }),
      graph({ id: 5, inputs: [], stage: "dynamo", number: 2 }), graph({ id: 6, inputs: [], parent: 4 }),
    ];
    expect(groupGraphs(graphs).map((g) => g.graphs.map((m) => m.id))).toEqual([[4, 2, 3, 1], [5]]);
    expect(rootOf(graphs[5], new Map(graphs.map((g) => [g.id, g]))).id).toBe(4);
  });
});

describe("splitAt", () => {
  it("marks the broken columns and drops the indentation", () => {
    expect(splitAt("    if y.sum() > 0:", 7, 18)).toEqual(["if ", "y.sum() > 0", ":"]);
    expect(splitAt("    print(x)", 4, 12)).toEqual(["", "print(x)", ""]);
  });

  it("marks the whole line where the columns are not known", () => {
    expect(splitAt("    print(x)", -1, -1)).toEqual(["", "print(x)", ""]);
    expect(splitAt("x", 5, 9)).toEqual(["", "x", ""]);
  });
});

const guard = (source: string, expressions: string[]): GuardView => ({
  kind: "K", source, expressions, where: "", entity: "", frame: 0, compile_id: "0/0",
  text: "", is_state: false, failed: "", compile_ids: ["0/0"],
});

describe("withoutFolded", () => {
  it("hides what is below a folded heading, and no other", () => {
    const rows = withoutFolded(guardRows([guard("x", ["a"]), guard("y", ["b"])], null), new Set(["x"]));
    expect(rows.map((row) => (row.kind === "source" ? row.source : row.expression))).toEqual(["x", "y", "b"]);
  });
});

describe("failing", () => {
  const check = { compile_id: "0/0", passes: false, text: "", where: "", entity: "", source: "x" };
  const tried = { frame: 0, name: "f", sentence: "", reuses: null, checks: [check] };

  it("lights the guard on the value that failed, of that compilation", () => {
    expect(failing(guard("x", []), tried)).toBe(true);
    expect(failing(guard("y", []), tried)).toBe(false);
    expect(failing({ ...guard("x", []), compile_id: "0/1" }, tried)).toBe(false);
    expect(failing(guard("x", []), null)).toBe(false);
  });
});

describe("guardRows", () => {

  it("groups by value and gives each expression a row", () => {
    const rows = guardRows([guard("x", ["a", "b"]), guard("y", []), guard("x", ["c"])], null);
    expect(rows.map((row) => (row.kind === "source" ? row.source : row.expression))).toEqual(["x", "a", "b", "c", "y", "K"]);
  });

  it("says first what is demanded, and names the state that no value has", () => {
    const rows = guardRows([{ ...guard("x", ["a"]), text: "float32" }, { ...guard("", ["b"]), is_state: true }], null);
    expect(rows.map((row) => (row.kind === "source" ? row.source : row.expression))).toEqual(["x", "float32", "a", "(global state)", "b"]);
  });
});

describe("kernelItems", () => {
  it("lists each wrapper after its kernels and loses none", () => {
    const wrapper = { id: 1, title: "w", language: "python", code: "", graph: 0 };
    const items = kernelItems({ kernels: [{ ...kernel(0, 0, []), wrapper: 1 }, kernel(1, 0, [])], wrappers: [wrapper], empty: "", assemblies: [], gpus: [] });
    expect(items.map((item) => ("kernel" in item ? item.kernel.name : item.wrapper.title))).toEqual(["k0", "w", "k1"]);
  });

  const wrapper = { id: 1, title: "w", language: "python", code: "", graph: 0 };
  const items = kernelItems({
    kernels: [{ ...kernel(0, 0, []), wrapper: 1 }, { ...kernel(1, 0, []), wrapper: 1, code: "x" }], wrappers: [wrapper, { ...wrapper, id: 2 }], empty: "", assemblies: [], gpus: [],
  });

  it("lists the slower kernels of a wrapper first, and those without a time after them", () => {
    const kernels = [0, 1, 2, 3].map((id) => ({ ...kernel(id, 0, []), wrapper: 1 }));
    const listed = kernelItems({ kernels, wrappers: [wrapper], empty: "", assemblies: [], gpus: [] }, [3, 1]);
    expect(listed.map((item) => ("kernel" in item ? item.kernel.id : "wrapper"))).toEqual([3, 1, 0, 2, "wrapper"]);
  });

  it("starts at the first kernel that has code, else at the first", () => {
    expect(firstWithCode(items)).toBe(1);
    expect(firstWithCode(items.slice(0, 1))).toBe(0);
  });

  it("keeps the wrappers of kernels that are kin, and no others", () => {
    expect(kinItems(items, (id) => id === 1).map((item) => ("kernel" in item ? item.kernel.name : item.wrapper.id))).toEqual(["k1", 1]);
  });
});

describe("moduleLabel", () => {
  const label = (path: string, type: string): string => moduleLabel({ ...module(path.split(".").at(-1) ?? "", []), path, type });

  it("counts what the number counts, and names the class", () => {
    expect(label("transformer.h.0", "GPT2Block")).toBe("h.0 GPT2Block");
    expect(label("transformer.wte", "Embedding")).toBe("wte Embedding");
    expect(label("0", "")).toBe("0");
  });
});

describe("stageName", () => {
  it("is the title without its graph", () => {
    const titled = (title: string, number: number) => stageName({ ...graph({ inputs: [], number, stage: "post_grad" }), title });
    expect(titled("graph 2 post_grad (backward)", 2)).toBe("post_grad (backward)");
    expect(titled("graph 2", 2)).toBe("post_grad");
    expect(titled("graph 12 forward", 1)).toBe("post_grad");
  });
});

describe("icicle", () => {
  const phases: PhaseView[] = [["a", 1, 4, 0, "", ""], ["b", 2, 1, 1, "", ""], ["dust", 3, 0.0001, 1, "", ""]];

  it("cuts bars at the window and leaves out what cannot be seen", () => {
    expect(bars(phases, [0, 1, 1], { start: 1, end: 5 })).toEqual([{ index: 0, left: 0, width: 1, row: 0 }, { index: 1, left: 0.25, width: 0.25, row: 1 }]);
    expect(bars(phases, [0, 1, 1], { start: 2, end: 3 }).map((bar) => [bar.left, bar.width])).toEqual([[0, 1], [0, 1]]);
  });

  it("puts what another thread does at the same time below all that nests", () => {
    const busy: PhaseView[] = [["main", 0, 4, 0, "", ""], ["inner", 1, 2, 1, "", ""], ["thread", 2, 3, 0, "", ""], ["next", 4, 1, 0, "", ""]];
    expect(rowsOf(busy)).toEqual([0, 1, 2, 0]);
  });

  it("walks from bar to bar along rows, and to what lies above and below", () => {
    const bar = (index: number, left: number, width: number, row: number) => ({ index, left, width, row });
    const drawn = [bar(0, 0, 1, 0), bar(1, 0, 0.3, 1), bar(2, 0.3, 0.7, 1)];
    const to = (from: number, key: string) => neighbour(drawn, drawn[from], key)?.index;
    expect([to(0, "ArrowDown"), to(2, "ArrowLeft"), to(1, "ArrowUp"), to(1, "End"), to(2, "ArrowRight"), to(0, "x")]).toEqual([2, 1, 0, 2, undefined, undefined]);
    expect(neighbour([], undefined, "Home")).toBeUndefined();
  });

  it("puts round times on the axis, from the origin", () => {
    expect(ticks({ start: 1, end: 5 }, 1, 4)).toEqual([1, 2, 3, 4, 5]);
    expect(ticks({ start: 1, end: 1 })).toEqual([]);
  });
});

describe("Assets", () => {
  it("asks once for all who wait, and not again", async () => {
    const asked: string[] = [];
    const assets = new Assets((name) => asked.push(name));
    const both = Promise.all([assets.get("once.js"), assets.get("once.js")]);
    assets.receive("once.js", "code");
    expect(await both).toEqual(["code", "code"]);
    expect(await assets.get("once.js")).toBe("code");
    expect(asked).toEqual(["once.js"]);
  });

  it("refuses who still waits when the view closes", async () => {
    const assets = new Assets(() => undefined);
    const waiting = assets.get("never.js");
    assets.close();
    await expect(waiting).rejects.toThrow("closed");
  });
});
