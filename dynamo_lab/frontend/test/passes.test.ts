import { describe, expect, it } from "vitest";
import type { DiffLine, PassView, PipelineView } from "../src/core/types.generated";
import { diffItems, nextRewrite, passItems, shownPass } from "../src/passes/items";
import { differing } from "../src/ui/differing";

const line = (sign: string, name: string, args = ""): DiffLine => [sign, name, "call_function", "aten.add.Tensor", args, "", "", "", -1];

function pass(id: number, parts: Partial<PassView> = {}): PassView {
  return {
    id, title: `p${id}`, name: `p${id}`, kind: "pass", sentence: "", state: "idle", summary: "", seconds: 0, pipeline: 0, depth: 0, body: "",
    own: false, place: "", entity: "", error: "", removed: 0, added: 0, changed: 0, moved: 0, hunks: [], matches: [], alone: [], costs: [], ...parts,
  };
}

const pipeline = (id: number, first: number, end: number): PipelineView => ({
  id, title: "", sentence: "", summary: "", seconds: 0, first, end, ran: 0, did: 0, between: 0, failed: 0, before: "", after: "", graph: null, became: null, error: "",
});

const PASSES = [pass(0), pass(1, { state: "did" }), pass(2, { own: true }), pass(3, { state: "failed" }), pass(4, { state: "off" })];
const VIEW = { pipelines: [pipeline(0, 0, 3), pipeline(1, 3, 5)], passes: PASSES, patterns: [] };
const ids = (only: boolean) => passItems(VIEW, only).map((item) => ("pass" in item ? item.pass.id : `pipeline ${item.pipeline.id}`));

describe("the list", () => {
  it("leaves out what did nothing, but never the reader's own", () => {
    expect(ids(true)).toEqual(["pipeline 0", 1, 2, "pipeline 1", 3]);
    expect(ids(false)).toEqual(["pipeline 0", 0, 1, 2, "pipeline 1", 3, 4]);
  });
});

describe("stepping", () => {
  it("begins with the first rewrite and goes around", () => {
    expect(shownPass(PASSES, null)).toBe(1);
    expect(shownPass(PASSES, 99)).toBe(1);
    expect(nextRewrite(PASSES, 1, 1)).toBe(3);
    expect(nextRewrite(PASSES, 3, 1)).toBe(1);
    expect(nextRewrite(PASSES, 1, -1)).toBe(3);
    expect(nextRewrite(PASSES, 4, -1)).toBe(3);
  });
  it("stays where nothing was rewritten", () => {
    expect(nextRewrite([pass(0)], 0, 1)).toBe(0);
    expect(shownPass([], null)).toBe(0);
  });
});

describe("the diff", () => {
  const changed = pass(0, {
    hunks: [{ body: "", skipped: 3, lines: [line(" ", "x"), line("-", "y", "x, 1"), line("+", "y", "x, 2"), line("+", "z")] }],
  });
  it("shows one side of the graph where that is asked for", () => {
    const signs = (mode: "diff" | "before" | "after") => diffItems(changed, mode).map((item) => ("line" in item ? item.line[0] + item.line[1] : item.skipped));
    expect(signs("diff")).toEqual(["3 unchanged", " x", "-y", "+y", "+z"]);
    expect(signs("before")).toEqual(["3 unchanged", " x", "-y"]);
    expect(signs("after")).toEqual(["3 unchanged", " x", "+y", "+z"]);
  });
  it("knows of a changed node what it was", () => {
    const others = diffItems(changed, "diff").map((item) => ("line" in item ? (item.other?.[4] ?? "") : ""));
    expect(others).toEqual(["", "", "x, 2", "x, 1", ""]);
  });
  it("names the body it is in", () => {
    const inBody = pass(0, { hunks: [{ body: "body_0", skipped: 0, lines: [line("-", "a")] }] });
    expect(diffItems(inBody, "diff")[0]).toEqual({ skipped: "in body_0" });
  });
});

describe("what differs", () => {
  const marked = (text: string, other: string): string => text.slice(...differing(text, other));
  it("is cut out in whole words", () => {
    expect(marked("(view_5, 1)", "(view_6, 1)")).toBe("view_5");
    expect(marked("(a, b, c)", "(a, c)")).toBe("b, ");
    expect(marked("(x)", "(x)")).toBe("");
  });
});
