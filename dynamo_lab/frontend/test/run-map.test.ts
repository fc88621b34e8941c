import { describe, expect, it } from "vitest";
import { foldedRows, isIn } from "../src/breaks/run-map";
import { buildKin } from "../src/core/kin";
import type { MapRow, View } from "../src/core/types.generated";
import { graph, view } from "./sample";

const row = (parts: Partial<MapRow> = {}): MapRow => ({
  depth: 0, kind: "compiled", name: "f", lines: "line 1", line: "", file: "", graphs: [], size: "", text: "", entity: "frame:0", ...parts,
});

describe("foldedRows", () => {
  it("hides the end of a long run, but never two or three rows", () => {
    const rows = (count: number): MapRow[] => Array.from({ length: count }, () => row());
    expect(foldedRows(rows(17), 0)).toHaveLength(17);
    expect(foldedRows(rows(18), 0)).toHaveLength(14);
    expect(foldedRows(rows(18), 1)).toHaveLength(18);
    expect(foldedRows(rows(500), 1)).toHaveLength(214);
    expect(foldedRows(rows(500), 3)).toHaveLength(500);
  });
});

describe("isIn", () => {
  const shown: View = view({ graphs: [graph({ id: 0, inputs: [[], [0]] })] });
  const kin = buildKin(shown);
  const mask = kin.kin(kin.resolve("node:0:1"));

  it("lights a region by a node of its graphs, and no other", () => {
    expect(isIn(mask, row({ graphs: [0] }), kin)).toBe(true);
    expect(isIn(mask, row(), kin)).toBe(false);
    expect(isIn(null, row({ graphs: [0] }), kin)).toBe(false);
  });

  it("leaves the folded library frames dark", () => {
    expect(isIn(mask, row({ graphs: [0], entity: "" }), kin)).toBe(false);
  });
});
