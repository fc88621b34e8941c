import { Text } from "@codemirror/state";
import { describe, expect, it } from "vitest";
import { mapLines, markRanges } from "../src/code/dressing";
import type { Mark, SourceView } from "../src/core/types.generated";
import { source } from "./sample";

const excerpt: SourceView = {
  ...source(0, []),
  lines: [[10, "  y = f(", "eager", -1, 0], [11, "    x,", "eager", -1, 0], [12, "  )", "eager", -1, 0], [40, "print(y)", "eager", -1, 0]],
};
const lines = mapLines(excerpt);
const doc = Text.of(lines.text.split("\n"));

function marked(mark: Partial<Mark>): string[] {
  const whole: Mark = { kind: "break", line: 10, column: -1, end_line: 10, end_column: -1, label: "", target: "break:0", ...mark };
  return markRanges(whole, doc, lines).map(({ from, to }) => doc.sliceString(from, to));
}

describe("mapLines", () => {
  it("numbers lines as the source does, also after a gap", () => {
    expect([1, 2, 3, 4].map(lines.number)).toEqual([10, 11, 12, 40]);
    expect([lines.docLine(40), lines.docLine(13)]).toEqual([4, -1]);
  });

  it("keeps one line a line, whatever its text holds", () => {
    expect(mapLines(source(0, ["a\rb", "c"])).text.split("\n")).toHaveLength(2);
  });
});

describe("markRanges", () => {
  it("marks columns, a line's text where there are none, and nothing in lines that are not known", () => {
    expect(marked({ column: 6, end_column: 8 })).toEqual(["f("]);
    expect(marked({})).toEqual(["y = f("]);
    expect(marked({ line: 13, end_line: 13 })).toEqual([]);
  });

  it("leaves out the indentation of the lines it goes on to", () => {
    expect(marked({ column: 6, end_line: 12, end_column: 3 })).toEqual(["f(", "x,", ")"]);
  });

  it("stays inside the text with columns beyond it", () => {
    expect(marked({ line: 40, end_line: 40, column: 2, end_column: 99 })).toEqual(["int(y)"]);
    expect(marked({ line: 40, end_line: 40, column: 50, end_column: 99 })).toEqual([]);
  });
});
