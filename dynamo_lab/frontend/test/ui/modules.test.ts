import { describe, expect, it } from "vitest";
import type { ModuleRow, ModulesView } from "../../src/core/types.generated";
import { heatOf, initiallyOpen, kernelsOf, measuresOf, openRows } from "../../src/modules/rows";

const row = (name: string, parts: Partial<ModuleRow> = {}): ModuleRow => ({
  depth: 0, name, path: name, type: "", children: [], alike: 1, entity: "", line: "", where: "", operators: 0, calls: 0, shared: 0,
  seconds: null, shared_seconds: 0, heat: 0, shared_heat: 0, time: "", bytes: null, bytes_text: "", flops: null, flops_text: "",
  compile: null, compile_text: "", breaks: 0, kernels: [], fused: [], differences: [], usual: [], ...parts,
});

/** A function with four blocks, of which the last differs, and a head. */
const view = (): ModulesView => ({
  rows: [
    row("f", { children: [1, 6], bytes: 100, kernels: [9] }),
    row("0 \u2026 3", { children: [2, 3, 4, 5], alike: 4, usual: [0, 1, 2], bytes: 60 }),
    ...[0, 1, 2, 3].map((at) => row(`${at}`, { bytes: 15, kernels: [at], fused: [7] })),
    row("head", { bytes: 40, kernels: [4] }),
  ],
  roots: [0], sentences: [], empty: "",
});

describe("the rows of the tree", () => {
  it("are those of open modules, and say which block is not like the others", () => {
    const all = openRows(view(), () => true);
    expect(all.map(({ row: { name }, depth }) => `${depth} ${name}`)).toEqual(["0 f", "1 0 \u2026 3", "2 0", "2 1", "2 2", "2 3", "1 head"]);
    expect(all.filter(({ isOther }) => isOther).map(({ row: { name } }) => name)).toEqual(["3"]);
    expect(openRows(view(), (key) => key === "/f").map(({ row: { name } }) => name)).toEqual(["f", "0 \u2026 3", "head"]);
  });

  it("are open at first as far as all is seen at once, repeated blocks as one row", () => {
    expect([...initiallyOpen(view())]).toEqual(["/f"]);
    expect([...initiallyOpen(view(), 2)]).toEqual([]);
  });

  it("end where a damaged file names rows that are not there", () => {
    expect(openRows({ ...view(), roots: [0, 77] }, () => true)).toHaveLength(7);
  });
});

describe("what a bar is of", () => {
  it("is known by what the rows have: nothing was timed here", () => {
    expect(measuresOf(view())).toEqual(["bytes"]);
  });

  it("is the part of the whole, and of time what is shared beside it", () => {
    expect(heatOf(view(), "bytes")(view().rows[6])).toEqual({ own: 0.4, shared: 0 });
    expect(heatOf(view(), "seconds")(row("x", { heat: 0.25, shared_heat: 0.5 }))).toEqual({ own: 0.25, shared: 0.5 });
    expect(heatOf(view(), "flops")(view().rows[0])).toEqual({ own: 0, shared: 0 });
  });
});

describe("the kernels of a module", () => {
  it("are those of all within it; what it shares stands apart", () => {
    expect(kernelsOf(view(), view().rows[1])).toEqual({ own: [0, 1, 2, 3], shared: [] });
    expect(kernelsOf(view(), view().rows[2])).toEqual({ own: [0], shared: [7] });
  });
});
