// The header: a narrow one shows the first counts only.
import { expect, it } from "vitest";
import type { Count } from "../../src/core/types.generated";
import { answersFirst } from "../../src/summary/counts";

const count = (label: string, tone: Count["tone"] = "plain"): Count => ({ value: "1", label, tone, tab: "" });

it("has the breaks first, also where there are none, and what failed before what there was", () => {
  const labels = (...counts: Count[]): string[] => answersFirst(counts).map(({ label }) => label);
  expect(labels(count("frame"), count("graph"), count("break", "warning"), count("recompile", "bad"), count("kernel"))).toEqual(["break", "recompile", "frame", "graph", "kernel"]);
  expect(labels(count("frame"), count("breaks", "good"), count("kernel"))).toEqual(["breaks", "frame", "kernel"]);
});
