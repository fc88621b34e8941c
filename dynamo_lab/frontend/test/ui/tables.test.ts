// Tables as text, and how far a drawing is dragged.
import { expect, it } from "vitest";
import { bounded } from "../../src/layout/canvas";
import { asCsv, asMarkdown } from "../../src/ui/copy/table-text";

const ROWS = [["kernel", "time"], ["a|b", "1,5 \u00b5s"], ["=cmd()", "-3.2 %"], ['say "x"']];

it("writes a table as Markdown, with its bars as text", () => {
  expect(asMarkdown(ROWS)).toBe('| kernel | time |\n| --- | --- |\n| a\\|b | 1,5 \u00b5s |\n| =cmd() | -3.2 % |\n| say "x" |  |');
  expect(asMarkdown([])).toBe("");
});

it("writes a table as CSV, which no spreadsheet computes", () => {
  expect(asCsv(ROWS)).toBe('kernel,time\r\na|b,"1,5 \u00b5s"\r\n\'=cmd(),-3.2 %\r\n"say ""x""",');
});

it("keeps a part of a drawing in sight however far it is dragged", () => {
  const at = (x: number, y: number) => bounded({ x, y, scale: 1 }, 400, 300, 800, 600);
  expect(at(10_000, -10_000)).toEqual({ x: 740, y: -240, scale: 1 });
  expect(at(-10_000, 10_000)).toEqual({ x: -340, y: 540, scale: 1 });
  expect(at(30, 40)).toEqual({ x: 30, y: 40, scale: 1 });
});
