import { describe, expect, it } from "vitest";
import type { AddedGuard, EventRow, Instruction, NodeRow, StepsView, Stop, Symbolic } from "../src/core/types.generated";
import { below, column, guardTexts, isThere, Playback } from "../src/steps/playback";
import { cases } from "./cases";

function packed(numbers: readonly number[]): string {
  const view = new DataView(new ArrayBuffer(4 * numbers.length));
  numbers.forEach((number, i) => view.setInt32(4 * i, number, true));
  return btoa(String.fromCharCode(...new Uint8Array(view.buffer)));
}

const X: Symbolic = ["TensorVariable", "f32[8]", "L['x']", 0];
const NULL: Symbolic = ["NullVariable", "", "", -1];
const take = { frame: 0, outcome: "compiled", ending: "", graph: 0, broke: null };

/** Two analyses of an outer function that calls an inner one: steps 0-5 and 6-11. */
function playback(): Playback {
  const view: StepsView = {
    takes: [{ ...take, title: "f", attempt: 0, first: 0, end: 6 }, { ...take, title: "f, analysis 2", attempt: 1, first: 6, end: 12 }],
    codes: [
      { name: "outer", where: "line 4", source: 0, is_library: false, instructions: [] },
      { name: "inner", where: "line 1", source: 0, is_library: false, instructions: [] },
    ],
    calls: [[0, -1, -1, 0], [1, 0, 2, 1], [0, -1, -1, 0], [1, 2, 8, 1]],
    strings: ["x", "a"], values: [NULL, X], kinds: {},
    below: packed([-1, 0]), held: packed([0, 1]),
    call: packed([0, 0, 0, 1, 1, 0, 2, 2, 2, 3, 3, 2]),
    instruction: packed([0, 1, 2, 0, 1, 3, 0, 1, 2, 0, 1, 3]),
    stack: packed([-1, 1, 0, -1, -1, -1, -1, 1, 0, -1, -1, -1]),
    bound: packed([0, 0, 1, 3, 1, 1, 5, 0, -1, 6, 0, 1, 9, 1, 1]),
    nodes: [[[3, "x", "placeholder", "L_x_", "f32[8]", 0, 4], -1, -1], [[9, "x", "placeholder", "L_x_", "f32[8]", 0, -1], 0, 0]],
    guards: [[0, "GRAD_MODE", ""], [3, "TENSOR_MATCH", "L['x']"], [6, "GRAD_MODE", ""]],
    events: [[2, "checkpoint", "", ""], [5, "restart", "", "frame:0"], [11, "break", "", "break:0"]],
    cut: "",
  };
  return new Playback(view);
}

describe("column", () => {
  it("reads little-endian integers, negative ones too", () => {
    expect([...column(packed([1, -1, 2 ** 31 - 1]))]).toEqual([1, -1, 2 ** 31 - 1]);
    expect(column("").length).toBe(0);
  });
});

describe("below", () => {
  it("counts the numbers under a limit", () => {
    expect([0, 1, 3, 4, 9].map((limit) => below([1, 3, 3, 7], limit))).toEqual([0, 0, 1, 3, 4]);
  });
});

describe("what is known after a step", () => {
  it("has the stack, its top first", () => {
    expect(playback().stack(1)).toEqual([X, NULL]);
    expect(playback().stack(0)).toEqual([]);
  });

  it("has the variables of the call at hand, and tells which are new", () => {
    expect(playback().locals(3)).toEqual([{ name: "a", value: X, isNew: true }]);
    expect(playback().locals(4)[0].isNew).toBe(false);
    expect(playback().locals(2).map(({ name }) => name)).toEqual(["x"]);
    expect(playback().locals(5)).toEqual([]);
  });

  it("has nodes and guards of this analysis alone", () => {
    expect(playback().nodes(8)).toEqual({ first: 1, end: 1 });
    expect(playback().nodes(9)).toEqual({ first: 1, end: 2 });
    expect(playback().guards(5)).toEqual({ first: 0, end: 2 });
  });

  it("knows the calls around it, and where it goes", () => {
    expect(playback().chain(9)).toEqual([2, 3]);
    expect([1, 2, 5].map((step) => playback().goesInto(step))).toEqual([-1, 1, -1]);
    expect(playback().events(5).map(([, kind]) => kind)).toEqual(["restart"]);
  });
});

describe("isThere", () => {
  it("is over once a node was taken out again", () => {
    const row: NodeRow = playback().view.nodes[0];
    expect([3, 4].map((step) => isThere(row, step))).toEqual([true, false]);
  });
});

describe("move", () => {
  it.each<[number, Stop, 1 | -1, number]>([
    [0, "step", 1, 1], [0, "step", -1, 0], [11, "step", 1, 11],
    [2, "over", 1, 5], [5, "over", -1, 2], [4, "over", 1, 5], [3, "out", 1, 5], [3, "out", -1, 2], [5, "out", 1, 6],
    [0, "break", 1, 5], [5, "break", 1, 11], [11, "break", 1, 11], [11, "break", -1, 5],
    [0, "node", 1, 3], [0, "guard", 1, 3], [7, "attempt", -1, 6], [0, "attempt", 1, 6],
  ])("from %i, %s %i leads to %i", (from, stop, by, to) => expect(playback().move(from, stop, by)).toBe(to));

  it("finds the nearest step of an instruction, a break and an attempt", () => {
    expect(playback().stepOf(1, 8)).toBe(7);
    expect(playback().stepOf(9, 8)).toBe(-1);
    expect(playback().stepOfBreak("break:0")).toBe(11);
    expect(playback().stepOfBreak("break:1")).toBe(-1);
    expect(playback().stepOfAttempt(0, 1)).toBe(6);
    expect(playback().stepOfAttempt(3, 0)).toBe(-1);
  });
});

interface Moment {
  readonly take: string;
  readonly code: string;
  readonly instruction: Instruction;
  readonly calls: readonly string[];
  readonly stack: readonly Symbolic[];
  readonly variables: readonly (readonly [string, Symbolic, boolean])[];
  readonly nodes: readonly NodeRow[];
  readonly guards: readonly AddedGuard[];
  readonly events: readonly EventRow[];
}

interface Played {
  readonly steps: StepsView;
  readonly moments: readonly Moment[];
  readonly moves: Readonly<Record<Stop, readonly [readonly number[], readonly number[]]>>;
}

describe.each(Object.entries(cases<Readonly<Record<string, Played>>>("steps")))("%s is played as Python plays it", (_, { steps, moments, moves }) => {
  const played = new Playback(steps);
  const moment = (step: number): Moment => {
    const code = steps.codes[played.codeOf(step)];
    const [nodes, guards] = [played.nodes(step), played.guards(step)];
    return {
      take: played.take(step).title,
      code: code.name,
      instruction: code.instructions[played.instruction(step)],
      calls: played.chain(step).map((call) => steps.codes[steps.calls[call][0]].name),
      stack: played.stack(step),
      variables: played.locals(step).map(({ name, value, isNew }) => [name, value, isNew]),
      nodes: steps.nodes.slice(nodes.first, nodes.end).filter((row) => isThere(row, step)),
      guards: steps.guards.slice(guards.first, guards.end),
      events: played.events(step),
    };
  };

  it.each(moments.map((expected, step) => [step, expected] as const))("knows the same after step %i", (step, expected) => {
    expect(moment(step)).toEqual(expected);
  });

  it.each(Object.entries(moves))("moves by %s to the same steps", (stop, [forward, back]) => {
    const all = [...moments.keys()];
    expect(all.map((step) => played.move(step, stop as Stop, 1))).toEqual(forward);
    expect(all.map((step) => played.move(step, stop as Stop, -1))).toEqual(back);
  });
});

describe("guardTexts", () => {
  it("puts those on PyTorch's own state into one line", () => {
    expect(guardTexts(playback().view.guards)).toEqual(["on PyTorch's own state: GRAD_MODE, GRAD_MODE", "TENSOR_MATCH L['x']"]);
  });
});
