import { describe, expect, it } from "vitest";
import { buildKin } from "../../src/core/kin";
import type { FusionsView } from "../../src/core/types.generated";
import { groupsAfter, pairsOf, tally } from "../../src/fusion/rounds";
import { fusionDot, fusionScene } from "../../src/fusion/scene";
import { refusedPair, whyNot } from "../../src/fusion/why-not";
import { cases } from "../cases";
import { graph, kernel, view } from "../sample";

interface Answer {
  readonly title: string;
  readonly is_fused: boolean;
  readonly sentences: readonly string[];
  readonly changes: readonly string[];
  readonly reasons: readonly string[];
}

interface Answered {
  readonly view: FusionsView;
  readonly answers: readonly [number, number, Answer][];
}

const table = cases<Answered & { joined: Answered }>("fusion");
const schedule = table.view.schedules[0];

describe("whyNot", () => {
  it("answers as Python does", () => {
    for (const { view: asked, answers } of [table, table.joined]) {
      const [of] = asked.schedules;
      expect(answers.length).toBe(25);
      for (const [one, other, { is_fused: isFused, ...rest }] of answers) {
        expect(whyNot(of, one, other, asked.unseen[of.compiler])).toEqual({ ...rest, isFused });
      }
    }
  });
});

describe("what the generated code does itself", () => {
  const at = schedule.operations.findIndex((item) => item.call === "extern_kernels.mm");
  const other = at === 0 ? 1 : 0;

  function told(call: string): string {
    const operations = schedule.operations.map((item, i) => (i === at ? { ...item, kind: "extern" as const, call, kernel: null } : item));
    return whyNot({ ...schedule, operations, pairs: [], ruling: [] }, at, other, table.view.unseen[schedule.compiler]).sentences.join(" ");
  }

  it("is no function of a library", () => {
    expect(told("AssertScalar")).toContain("is done by the generated code itself");
    expect(told("aten.sort")).toContain("calls a library function, `aten.sort`");
  });
});

describe("refusedPair", () => {
  const isApart = ([one, other]: readonly [number, number]): boolean => !whyNot(schedule, one, other, table.view.unseen[schedule.compiler]).isFused;

  it("is of two that are not fused, of the selected ones where there are such", () => {
    const all = schedule.operations.flatMap((_, index) => refusedPair(schedule, (at) => at === index) ?? []);
    expect(all.length).toBeGreaterThan(0);
    for (let index = 0; index < schedule.operations.length; index++) {
      const pair = refusedPair(schedule, (at) => at === index);
      expect(pair !== null && isApart(pair)).toBe(true);
    }
    const first = refusedPair(schedule, () => false);
    const others = pairsOf(schedule).filter(({ ruling }) => ruling.outcome === "refused").length;
    expect(others).toBeGreaterThan(1);
    const selected = schedule.operations.map((_, index) => index).filter((index) => refusedPair(schedule, (at) => at === index)?.includes(index));
    expect(selected.length).toBeGreaterThan(first?.length ?? 0);
  });

  it("is none where nothing was refused", () => {
    expect(refusedPair({ ...schedule, pairs: [], ruling: [] }, () => true)).toBeNull();
  });
});

describe("a schedule", () => {
  it("tells the groups of each round", () => {
    expect(groupsAfter(schedule, 0)).toEqual([0, 1, 2, 3, 4]);
    expect(groupsAfter(schedule, 1)).toEqual([5, 5, 2, 3, 4]);
  });

  it("counts a pair in every round that considered it", () => {
    const pairs = pairsOf(schedule);
    expect(tally(pairs, 1)).toEqual({ fused: 1, refused: 2 });
    expect(tally(pairs, 2)).toEqual({ fused: 0, refused: 1 });
  });

  it("is drawn as operations in frames, or as groups", () => {
    const open = fusionScene(schedule, 0, false);
    expect(open.frames).toEqual([0]);
    expect(open.boxes.map((box) => box.id)).toEqual(["o0", "o1", "o2", "o3", "o4"]);
    expect(open.edges).toContainEqual(["o0", "o3", true]);
    const closed = fusionScene(schedule, 0, true);
    expect(closed.boxes.length).toBe(4);
    expect(closed.edges.map(([from, to]) => `${from} ${to}`)).toEqual(["p0 p1", "p0 p2"]);
  });

  it("hands no text of the program to the layout", () => {
    const hostile = { ...schedule, operations: schedule.operations.map((item) => ({ ...item, name: "evil]", title: "evil]" })) };
    expect(fusionDot(hostile, fusionScene(hostile, 0, false))).not.toContain("evil");
  });

  it("lights nodes, operations and kernels together", () => {
    const inputs = [[], [0], [1], [2], [3], [4], [5], [6]];
    const kin = buildKin(view({ graphs: [graph({ id: 5, inputs })], kernels: { kernels: [kernel(0, 5, [1]), kernel(1, 5, [7])], wrappers: [], empty: "", assemblies: [], gpus: [] }, fusions: table.view }));
    const mask = kin.kin([kin.vertex("op", 1)]);
    expect(kin.nodesIn(mask, 5)).toEqual([6]);
    expect(mask[kin.vertex("kernel", 0)]).toBe(1);
    expect(mask[kin.vertex("kernel", 1)]).toBe(0);
  });
});
