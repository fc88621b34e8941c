import { describe, expect, it } from "vitest";
import { type CellEdit, changed, changesOf, EDITED, MISMATCH, newCell, UNSEEN } from "../labextension/src/changes";
import type { EditedLines, SourceEdit } from "../src/core/types.generated";
import { diffOf, newLines } from "../src/findings/diff";
import { source } from "./sample";

const RAN = "\n%%compile --mode default\nimport math\nif x > 0:\n    y = 1\nz = y\n";
const BRANCH: EditedLines = { line: 3, removed: ["if x > 0:", "    y = 1"], added: ["y = torch.where(x > 0, 1, y)"] };
const edit = (...parts: EditedLines[]): CellEdit => ({ cell: "a", ran: RAN, above: 1, parts, isAbove: false });
const after = (of: CellEdit, text = RAN): string => {
  const found = changesOf(text, of);
  return typeof found === "string" ? found : changed(text, found);
};

describe("changesOf", () => {
  it("changes the lines of what ran, and no others", () => {
    expect(after(edit(BRANCH))).toBe("\n%%compile --mode default\nimport math\ny = torch.where(x > 0, 1, y)\nz = y\n");
  });

  it("makes several changes, where they belong", () => {
    const imported: EditedLines = { line: 3, removed: [], added: ["import torch"] };
    expect(after(edit(imported, BRANCH))).toBe("\n%%compile --mode default\nimport math\nimport torch\ny = torch.where(x > 0, 1, y)\nz = y\n");
  });

  it("knows a cell's command, which is recorded as a comment", () => {
    const command: EditedLines = { line: 1, removed: ["# %%compile --mode default"], added: ["# %%compile --mode default --dynamic true"] };
    expect(after(edit(command))).toContain("\n%%compile --mode default --dynamic true\nimport math");
    expect(after(edit({ ...command, line: 2 }))).toBe(MISMATCH);
  });

  it("takes lines away, also the last", () => {
    expect(after(edit({ line: 2, removed: ["import math"], added: [] }))).toBe(RAN.replace("import math\n", ""));
    const ran = "a\nb";
    expect(after({ cell: "a", ran, above: 0, isAbove: false, parts: [{ line: 2, removed: ["b"], added: [] }] }, ran)).toBe("a");
  });

  it("adds a line behind the last", () => {
    const ran = "a\nb";
    expect(after({ cell: "a", ran, above: 0, isAbove: false, parts: [{ line: 3, removed: [], added: ["c"] }] }, ran)).toBe("a\nb\nc");
  });

  it("changes nothing where the cell is another text than what ran", () => {
    expect(after(edit(BRANCH), RAN.replace("z = y", "z = y + 1"))).toBe(EDITED);
    expect(after(edit(BRANCH), `${RAN}\n`)).toContain("torch.where"); // empty lines at the end are none
    expect(after(edit(BRANCH), RAN.slice(1))).toBe(EDITED);
  });

  it("changes nothing where the lines are others, or overlap", () => {
    expect(after(edit({ ...BRANCH, line: 4 }))).toBe(MISMATCH);
    expect(after(edit({ ...BRANCH, line: 0 }))).toBe(MISMATCH);
    expect(after(edit({ ...BRANCH, line: 99 }))).toBe(MISMATCH);
    expect(after(edit(BRANCH, { line: 4, removed: ["    y = 1"], added: [] }))).toBe(MISMATCH);
    expect(after(edit())).toBe(MISMATCH);
  });

  it("writes no character that a diff does not show", () => {
    for (const hidden of ["\u202e", "\u2028", "\u200b", "\u0000", "\u001b[31m", "\ufeff", "\r"]) {
      expect(after(edit({ ...BRANCH, added: [`y = 1 ${hidden}# harmless`] }))).toBe(UNSEEN);
    }
    expect(after(edit({ ...BRANCH, added: ["\ty = 'é \u{1f600}'"] }))).toContain("\ty = 'é \u{1f600}'");
  });

  it("writes no line that the diff shows as one and is several", () => {
    expect(after(edit({ ...BRANCH, added: ["y = 1\nimport os"] }))).toBe(UNSEEN);
  });
});

describe("newCell", () => {
  const above = (...added: string[]): CellEdit => ({ ...edit({ line: 1, removed: [], added }), isAbove: true });

  it("has the lines that come, of a cell that is as it ran", () => {
    expect(newCell(RAN, above("import torch", "x = 1"))).toEqual({ source: "import torch\nx = 1" });
    expect(newCell(`${RAN}#`, above("x = 1"))).toBe(EDITED);
    expect(newCell(RAN, above("x = 1 \u202e"))).toBe(UNSEEN);
    expect(newCell(RAN, above())).toBe(MISMATCH);
  });
});

describe("diffOf", () => {
  const lines = ["# %%compile", "import math", "if x > 0:", "    y = 1", "z = y"];
  const shown = (...parts: EditedLines[]): readonly (readonly string[])[] => {
    const of: SourceEdit = { source: 0, name: "cell 2", is_cell: true, is_above: false, parts };
    return diffOf(of, source(0, lines)).map((rows) => rows.map(({ number, sign, text }) => `${number ?? ""}${sign}${text}`));
  };

  it("shows the lines around a change, with their numbers", () => {
    expect(shown(BRANCH)).toEqual([["2 import math", "3-if x > 0:", "4-    y = 1", "+y = torch.where(x > 0, 1, y)", "5 z = y"]]);
  });

  it("joins places that touch, and parts others", () => {
    const imported: EditedLines = { line: 2, removed: [], added: ["import torch"] };
    expect(shown(imported, { line: 5, removed: ["z = y"], added: [] })).toEqual([
      ["1 %%compile", "+import torch", "2 import math"],
      ["4     y = 1", "5-z = y"],
    ]);
    expect(shown(imported, BRANCH)).toHaveLength(1);
  });

  it("shows the command as it is typed, and copies it so", () => {
    const parts: EditedLines[] = [{ line: 1, removed: ["# %%compile"], added: ["# %%compile --dynamic true"] }];
    expect(shown(...parts)).toEqual([["1-%%compile", "+%%compile --dynamic true", "2 import math"]]);
    expect(newLines({ source: 0, name: "cell 2", is_cell: true, is_above: false, parts })).toBe("%%compile --dynamic true");
  });
});
