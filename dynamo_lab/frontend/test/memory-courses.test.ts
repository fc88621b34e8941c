// The course of memory is drawn as steps: what is held stays until the next change.
import { expect, test } from "vitest";
import { steps } from "../src/benchmarks/memory";

const course = (points: readonly (readonly [number, number])[]) => ({ way: 0, name: "eager", points, peak: "", peak_bytes: 0, holders: [] });

test("levels change where memory does, on the scale of the largest peak", () => {
  expect(steps(course([[0, 50], [0.5, 100], [1, 0]]) as never, 100)).toBe("M0 120H0.0V60.0H300.0V0.0H600.0V120.0H600");
});

test("without memory the line stays on the ground", () => {
  expect(steps(course([]) as never, 0)).toBe("M0 120H600");
});
