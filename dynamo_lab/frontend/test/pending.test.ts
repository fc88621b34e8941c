import { describe, expect, it } from "vitest";
import { bytecodeLines, isPending, withPending } from "../src/pending";
import type { AttemptView, FrameView } from "../src/types";
import { source, view } from "./sample";

const BYTECODE = "    7           0 RESUME                   0\n\n    8 >>        2 LOAD_FAST                x\n                4 LOAD_CONST               1 (8 9)";

const attempt = (outcome: string): AttemptView => ({ label: "0/0", outcome, reason: "", graph: null, seconds: 0, recompiled: [], bytecode: "" });

function frame(parts: Partial<FrameView> = {}): FrameView {
  return {
    id: 0, name: "f", where: "", entity: "line:0:7", outcome: "skipped", reason: "", explanation: "all of it ran eagerly", resumes: null,
    depth: 0, attempts: [], graphs: [], breaks: [], guards: 0, bytecode: BYTECODE, is_library: false, ...parts,
  };
}

describe("isPending", () => {
  it("is a frame without a reason whose attempts have not come to a bad end", () => {
    expect(isPending(frame())).toBe(true);
    expect(isPending(frame({ attempts: [attempt("restarted")] }))).toBe(true);
    expect(isPending(frame({ attempts: [attempt("skipped")] }))).toBe(false);
    expect(isPending(frame({ reason: "in the skipfiles list" }))).toBe(false);
    expect(isPending(frame({ outcome: "failed" }))).toBe(false);
  });
});

describe("bytecodeLines", () => {
  it("reads the first column and nothing else", () => {
    expect(bytecodeLines(frame())).toEqual([7, 8]);
  });
});

describe("withPending", () => {
  const lines = source(0, new Array<string>(9).fill("x")).lines.map((line) => [line[0], line[1], "skipped", -1, 0] as const);
  const recorded = view({ frames: [frame()], sources: [{ ...source(0, []), lines }] });
  const recording = { ...recorded, summary: { ...recorded.summary, state: "recording" as const } };

  it("neither calls the frame skipped nor its lines while the compile runs", () => {
    const shown = withPending(recording);
    expect([shown.frames[0].outcome, shown.frames[0].explanation]).toEqual(["compiling", ""]);
    expect(shown.sources[0].lines.map((line) => line[2]).slice(5)).toEqual(["skipped", "compiling", "compiling", "skipped"]);
  });

  it("leaves a finished recording as it is", () => {
    expect(withPending(recorded)).toBe(recorded);
  });
});
