// Where lanes lie, and which collective is under the pointer.
import { describe, expect, it } from "vitest";
import type { CollectivesView, MeetingView } from "../../src/core/types.generated";
import { drawLanes, drawMeeting } from "../../src/ranks/draw";
import { amountText, arrivalText, arrivalsOf, askerOf, isAnyOpen, kindsIn, lanesOf, longestOpen, nearest, timeOf, xOf } from "../../src/ranks/lanes";

function meeting(ranks: readonly number[], came: readonly number[], lines: readonly string[] = [""]): MeetingView {
  return {
    operator: "all_reduce", ran_as: "", number: 1, group: "all ranks", shape: "", bytes: null, result_bytes: null, why: "", node: "",
    where: "", text: "", ranks, came, ran: came.map(() => null), lines, nodes: [""], waited: null, bare: null, late: 0, absent: [], is_done: true, told: 0, settings: [], brings_vary: false, results_vary: false,
  };
}

function view(meetings: readonly MeetingView[]): CollectivesView {
  return { labels: ["rank 0", "rank 1"], head: [], seconds: 4, steady: 0, meetings, alike: [], totals: [], bars: [[], []], sentences: [] };
}

describe("lanes", () => {
  it("are tall for few ranks, and thin for many", () => {
    expect(lanesOf(2, 100)).toEqual({ width: 100, rowHeight: 34, height: 68 });
    expect(lanesOf(64, 100).rowHeight).toBe(10);
    expect(lanesOf(1024, 100).rowHeight).toBe(9);
  });

  it("put a time where it is read again", () => {
    const window = { start: 2, end: 4 };
    expect(xOf(3, window, 100)).toBe(50);
    expect(timeOf(50, window, 100)).toBe(3);
    expect(xOf(1, { start: 1, end: 1 }, 100)).toBe(0);
  });
});

describe("arrivals", () => {
  it("are each rank's own, in order, and the nearest is found by time", () => {
    const arrivals = arrivalsOf(view([meeting([0, 1], [1, 3]), meeting([0], [2]), meeting([0], [0.5])]));
    expect(arrivals[0].map((one) => one.meeting)).toEqual([2, 0, 1]);
    expect(arrivals[1].map((one) => one.meeting)).toEqual([0]);
    expect(nearest(arrivals[0], 1.4)?.meeting).toBe(0);
    expect(nearest(arrivals[0], 1.6)?.meeting).toBe(1);
    expect(nearest(arrivals[0], -5)?.meeting).toBe(2);
    expect(nearest(arrivals[0], 50)?.meeting).toBe(1);
    expect(nearest([], 1)).toBeNull();
  });
});

describe("what to look at first", () => {
  it("is what stood open the longest in the time that is shown", () => {
    const open = (came: number, waited: number | null): MeetingView => ({ ...meeting([0], [came]), waited });
    const whole = view([open(1, 5), open(2, 1), open(3, 3), open(4, null)]);
    expect(longestOpen(whole, { start: 0, end: 9 })).toBe(0);
    expect(longestOpen(whole, { start: 1.5, end: 9 })).toBe(2);
    expect(longestOpen(whole, { start: 3.5, end: 9 })).toBeNull();
  });
});

describe("what ranks do in a time", () => {
  it("is told by the kinds of bars that reach into it", () => {
    const whole = { ...view([]), bars: [[["compiling", 0, 2, "", 1]], [["computing", 3, 4, "", 1]]] } as unknown as CollectivesView;
    expect([...kindsIn(whole, { start: 0, end: 9 })]).toEqual(["compiling", "computing"]);
    expect([...kindsIn(whole, { start: 2, end: 9 })]).toEqual(["computing"]);
    expect([...kindsIn(whole, { start: 4, end: 9 })]).toEqual([]);
  });
});

describe("who came late", () => {
  const colours = { compiling: "compiling", computing: "computing", waiting: "waiting", call: "call", line: "line", lit: "lit" };
  function drawn(whole: CollectivesView): readonly string[] {
    const found: string[] = [];
    const context = { fillStyle: "", globalAlpha: 1, fillRect(): void { found.push(this.fillStyle); } };
    drawLanes(context as unknown as CanvasRenderingContext2D, whole, lanesOf(2, 100), { start: 0, end: 9 }, colours);
    return found;
  }
  const apart: MeetingView = { ...meeting([0, 1], [1, 6]), ran: [[6, 8], null] };
  const beside: MeetingView = { ...apart, waited: 5 };

  it("is told where one clock tells it", () => {
    expect([0, 1].map((at) => arrivalText(view([beside]), beside, at))).toEqual(["rank 0 came first, ran 2.00 s", "rank 1 came 5.00 s later"]);
    expect(drawn(view([beside]))).toEqual(["waiting", "line", "call", "call"]);
  });

  it("is not told by two clocks", () => {
    expect([0, 1].map((at) => arrivalText(view([apart]), apart, at))).toEqual(["rank 0 ran 2.00 s", "rank 1"]);
    expect(drawn(view([apart]))).toEqual(["line", "call", "call"]);
  });

  it("stands open in a time in which one clock tells it", () => {
    const open = (one: MeetingView, start: number, end: number): boolean => isAnyOpen(view([one]), { start, end });
    expect([open(beside, 0, 9), open(beside, 7, 9), open(apart, 0, 9)]).toEqual([true, false, false]);
  });

  it("joins the marks of its ranks by a line where one clock tells it", () => {
    const lines = (one: MeetingView): number => {
      let count = 0;
      const context = { beginPath: () => {}, lineTo: () => {}, stroke: () => { count++; }, fillRect: () => {} };
      drawMeeting(context as unknown as CanvasRenderingContext2D, view([one]), 0, lanesOf(2, 100), { start: 0, end: 9 }, colours);
      return count;
    };
    expect([beside, apart].map(lines)).toEqual([1, 0]);
  });
});

describe("the line of a meeting", () => {
  it("is that of the rank whose recording is shown, else of the one that is told", () => {
    const same = view([meeting([0, 1], [1, 2], ["line:0:3"])]);
    const apart = view([{ ...meeting([1, 0], [1, 2], ["line:0:7", "line:1:3"]), nodes: ["node:2:1", ""] }]);
    expect(askerOf(same, 0, "rank 1")).toEqual({ label: "rank 1", line: "line:0:3", node: "" });
    expect(askerOf(apart, 0, "rank 0")).toEqual({ label: "rank 0", line: "line:1:3", node: "" });
    expect(askerOf(apart, 0, "as recorded")).toEqual({ label: "rank 0", line: "line:1:3", node: "" });
    const other = view([{ ...apart.meetings[0], told: 1 }]);
    expect(askerOf(other, 0, "as recorded")).toEqual({ label: "rank 1", line: "line:0:7", node: "node:2:1" });
  });
});

describe("what ranks bring and get", () => {
  it("is said to be the most on the side that varies alone", () => {
    const moved = (facts: Partial<MeetingView>): string => amountText({ ...meeting([0, 1], [1, 2]), bytes: 32, ...facts });
    expect(moved({})).toBe("32 B");
    expect(moved({ result_bytes: 32 })).toBe("32 B");
    expect(moved({ result_bytes: 64, results_vary: true })).toBe("32 B \u2192 up to 64 B");
    expect(moved({ result_bytes: 8, brings_vary: true })).toBe("up to 32 B \u2192 8 B");
    expect(moved({ bytes: null })).toBe("");
  });
});
