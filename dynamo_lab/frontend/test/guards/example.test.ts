import { describe, expect, it } from "vitest";
import type { FrameView, GuardView, View } from "../../src/core/types.generated";
import { exampleOf } from "../../src/guards/example";

const frame = (id: number, name: string, resumes: number | null = null): FrameView => ({ id, name, resumes }) as FrameView;
const guard = (of: number, source: string, kind = "TENSOR_MATCH"): GuardView => ({ frame: of, source, kind }) as GuardView;
const asked = (frames: FrameView[], guards: GuardView[]): string => exampleOf({ frames, guards: { guards, recompiles: [], costs: [], refusals: [] } } as Pick<View, "frames" | "guards">);

describe("what may be written as the arguments of a call", () => {
  it("is a name of the notebook for a cell, which has no arguments", () => {
    const guards = [guard(1, "G['torch']", "MODULE_MATCH"), guard(1, "G['image']"), guard(2, "L['y']")];
    expect(asked([frame(0, "skipped"), frame(1, "cell"), frame(2, "cell after line 3", 1)], guards)).toBe("image=torch.randn(8, 3)");
    expect(asked([frame(1, "cell (1 of 2)")], [guard(1, "G['torch']", "MODULE_MATCH")])).toBe("x=torch.randn(8, 3)");
  });

  it("is an argument for a function, also one of that name", () => {
    expect(asked([frame(0, "step")], [guard(0, "L['x']")])).toMatch(/^torch\.randn/);
    expect(asked([frame(0, "cell")], [guard(0, "G['w']"), guard(0, "L['x']")])).toMatch(/^torch\.randn/);
    expect(asked([], [])).toMatch(/^torch\.randn/);
  });
});
