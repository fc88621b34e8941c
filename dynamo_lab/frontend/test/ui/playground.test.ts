import { describe, expect, it, vi } from "vitest";
import type { Cells, CellEdit } from "../../src/core/source";
import type { Ask } from "../../src/core/source";
import type { DraftView, KernelView, PlaygroundView } from "../../src/core/types.generated";
import { replace } from "../../src/playground/apply";
import { carried, originBelow, originOf, shownKernel, usedLines } from "../../src/playground/lines";
import { Column, Ground, MOST_COLUMNS, PAUSE_MS, SUPERSEDED_MS } from "../../src/playground/state";

const HOW = { target: "cpu", backend: "inductor", dynamic: null, mode: null };
const START: PlaygroundView = { ...HOW, text: "a", name: "cell 1", targets: [["cpu", "cpu"]], inputs: "", reading: "", source: 0, above: 0 };

const draft = (given: Partial<DraftView> = {}): DraftView => ({
  kernels: { kernels: [], wrappers: [], empty: "", assemblies: [], gpus: [] }, diagnostics: [], has_failed: false, facts: "", source: 0, idle: [], edit: null, ...given,
});

/** A kernel that answers when told to, and what it was asked. */
function asked(): { ask: Ask; texts: string[]; finish: ((found: DraftView) => void)[]; fail: ((error: Error) => void)[] } {
  const texts: string[] = [];
  const finish: ((found: DraftView) => void)[] = [];
  const fail: ((error: Error) => void)[] = [];
  const ask = ((_: string, given: { text: string }) => {
    texts.push(given.text);
    return new Promise<DraftView>((resolve, reject) => (finish.push(resolve), fail.push(reject)));
  }) as unknown as Ask;
  return { ask, texts, finish, fail };
}

const settled = async (): Promise<void> => {
  for (let i = 0; i < 5; i++) await Promise.resolve();
};

describe("Column", () => {
  it("asks for one text at a time, and then for the last one alone", async () => {
    const { ask, texts, finish } = asked();
    const column = new Column("0", HOW);
    for (const text of ["a", "ab", "abc"]) column.lower(ask, "as recorded", text, 0);
    expect(texts).toEqual(["a"]);
    finish[0](draft());
    await settled();
    expect(texts).toEqual(["a", "abc"]);
    expect([column.shown.value?.text, column.busy.value]).toEqual(["a", true]);
    finish[1](draft());
    await settled();
    expect([column.shown.value?.text, column.busy.value]).toEqual(["abc", false]);
  });

  it("does not wait for what takes long, nor shows what comes of it", async () => {
    const { ask, texts, finish, fail } = asked();
    const column = new Column("0", HOW);
    column.lower(ask, "as recorded", "slow", 0);
    column.lower(ask, "as recorded", "next", SUPERSEDED_MS);
    expect(texts).toEqual(["slow", "next"]);
    fail[0](new Error("Something newer was asked for before this was done."));
    await settled();
    expect([column.error.value, column.busy.value]).toEqual(["", true]);
    finish[1](draft());
    await settled();
    expect([column.shown.value?.text, column.busy.value]).toEqual(["next", false]);
  });

  it("keeps the last good result where a text cannot be lowered, and asks for no text twice", async () => {
    const { ask, texts, finish } = asked();
    const column = new Column("0", HOW);
    column.lower(ask, "as recorded", "good", 0);
    finish[0](draft());
    await settled();
    column.lower(ask, "as recorded", "bad", 0);
    finish[1](draft({ has_failed: true, diagnostics: [{ severity: "error", message: "no", line: 1, column: null }] }));
    await settled();
    column.lower(ask, "as recorded", "bad", 0);
    expect(texts).toEqual(["good", "bad"]);
    expect([column.shown.value?.text, column.last.value?.text]).toEqual(["good", "bad"]);
  });

  it("says why there is no answer, and asks again", async () => {
    const { ask, texts, fail } = asked();
    const column = new Column("0", HOW);
    column.lower(ask, "as recorded", "a", 0);
    fail[0](new Error("The kernel does not answer."));
    await settled();
    expect(column.error.value).toBe("The kernel does not answer.");
    column.lower(ask, "as recorded", "a", 0);
    expect(texts).toEqual(["a", "a"]);
  });
});

describe("Ground", () => {
  it("lowers once, after the last key of a burst", () => {
    vi.useFakeTimers();
    const { ask, texts } = asked();
    const ground = new Ground(START, ask, "as recorded");
    for (const text of ["x", "xy", "xyz"]) ground.write(text);
    expect(texts).toEqual([]);
    vi.advanceTimersByTime(PAUSE_MS);
    expect(texts).toEqual(["xyz"]);
    vi.useRealTimers();
  });

  it("has columns that follow the text, and such that keep theirs; no mode for lab", () => {
    const { ask, texts } = asked();
    const ground = new Ground(START, ask, "as recorded");
    ground.text.value = "first";
    ground.add("first");
    ground.text.value = "second";
    ground.lower();
    expect(texts).toEqual(["first", "first"]); // the first column is still at it
    expect(ground.columns.value.map(({ kept }) => kept)).toEqual([null, "first"]);
    ground.change(ground.columns.value[1], { mode: "max-autotune" });
    ground.change(ground.columns.value[1], { backend: "lab" });
    expect(ground.columns.value[1].how.value).toEqual({ ...HOW, backend: "lab" });
    for (let i = 0; i < 5; i++) ground.add(null);
    expect(ground.columns.value.length).toBe(MOST_COLUMNS);
    ground.drop(ground.columns.value[1]);
    ground.add(null);
    expect(new Set(ground.columns.value.map(({ id }) => id)).size).toBe(MOST_COLUMNS);
  });
});

describe("lines", () => {
  const kernel = { id: 0, name: "k", code: "c", language: "cpp", origins: [[5, 0, 2], [6, 1, 9]] } as unknown as KernelView;
  it("tie code to the text that was lowered alone, and assembly through the code", () => {
    const of = originOf(kernel, 0);
    expect([of(5), of(6), of(7)]).toEqual([2, 0, 0]);
    expect([1, 2, 3].map(originBelow(of, [1, 5, 2, 6]))).toEqual([2, 0, 0]);
    expect([...usedLines([kernel], 0)]).toEqual([2]);
  });

  it("are found in another version where they are the same, or changed in place", () => {
    expect([1, 2, 3].map(carried("a\nb\nc", "a\nx\nc"))).toEqual([1, 2, 3]);
    expect([1, 2, 3].map(carried("a\nb\nc", "a\nx\ny\nc"))).toEqual([1, 0, 4]);
    expect([1, 2].map(carried("a\nb", "b"))).toEqual([0, 1]);
  });

  it("show the chosen kernel, else one that has code", () => {
    const library = { ...kernel, name: "mm", code: "", language: "extern" };
    expect([shownKernel([library, kernel], "")?.name, shownKernel([library, kernel], "mm")?.name, shownKernel([], "")]).toEqual(["k", "mm", undefined]);
  });
});

describe("replace", () => {
  it("takes back what it wrote before, and stops where that was edited since", () => {
    const told: string[] = [];
    const edit = { cell: "a" } as unknown as CellEdit;
    const cells = (why: string): Cells => ({ apply: () => (told.push("apply"), ""), undo: () => (told.push("undo"), why), isApplied: () => true });
    expect(replace(cells(""), null, edit)).toBe("");
    expect(replace(cells(""), edit, edit)).toBe("");
    expect(replace(cells("edited since"), edit, edit)).toBe("edited since");
    expect(told).toEqual(["apply", "undo", "apply", "undo"]);
  });
});
