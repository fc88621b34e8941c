// The numbers on the buttons of the Autograd tab: those that its sentences say.
import { expect, test } from "vitest";
import { counts } from "../../src/autograd/autograd";
import type { PartitionView } from "../../src/core/types.generated";

test("what costs nothing is not counted as recomputed", () => {
  const lists = { lines: [], saved: [], pairs: [], handled: [], by: "line", method: "min-cut" };
  const part = { ...lists, recomputed: [{ is_free: false }, { is_free: true }] } as unknown as PartitionView;
  expect(counts(part).again).toEqual(["Recomputed", 1]);
});
