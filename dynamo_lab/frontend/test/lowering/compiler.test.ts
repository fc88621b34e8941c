import { expect, it } from "vitest";
import { moved, pairsAbout, plannedLoops } from "../../src/compiler/items";
import type { FusionsView, StageTurns } from "../../src/core/types.generated";
import { cases } from "../cases";

const [schedule] = cases<{ view: FusionsView }>("fusion").view.schedules;

it("lists the verdicts about a buffer, what was fused first, and of the same two groups the last", () => {
  const [buffer] = schedule.operations[0].buffers;
  const pairs = pairsAbout(schedule, [buffer]);
  expect(pairs.every(({ first, second }) => [...first, ...second].includes(buffer))).toBe(true);
  expect(pairs.map(({ ruling }) => ruling.outcome)).toEqual(["fused", "refused", "refused"]);
  expect(new Set(pairs.map(({ producer, consumer }) => `${producer} ${consumer}`)).size).toBe(pairs.length);
  expect(pairsAbout(schedule, ["no such buffer"])).toEqual([]);
});

const turns = (name: string, reduces: boolean, tile = 0, unroll = 0): StageTurns => ({ name, size: "8", reduces, tile, unroll });
const loops = [turns("i0", false), turns("i1", false, 16), turns("r0", true, 0, 4)];

it("moves a loop further out, but none that is reduced over out of the others", () => {
  expect(moved(loops, 1).map(({ name }) => name)).toEqual(["i1", "i0", "r0"]);
  expect(moved(loops, 0)).toBe(loops);
  expect(moved(loops, 2)).toBe(loops);
});

it("asks for the order of all loops, and for what was filled in", () => {
  expect(plannedLoops(moved(loops, 1))).toEqual({ order: ["i1", "i0", "r0"], tile: { i1: 16 }, unroll: { r0: 4 } });
});
