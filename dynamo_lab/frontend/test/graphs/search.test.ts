import { describe, expect, it } from "vitest";
import { homePlaces, Sources } from "../../src/core/places";
import { matches } from "../../src/core/search";
import { splitTarget } from "../../src/core/target";
import { GraphIndex } from "../../src/graphs/graph-index";
import { elsewhere } from "../../src/graphs/groups";
import { graph, source, view } from "../sample";

describe("matches", () => {
  const texts = ["add\nf32[8, 8]\nlayers.0", "mul\nf32[4]\nlayers.1"];

  it("wants every word, in any order and case", () => {
    expect(matches(texts, "LAYERS.0 add")).toEqual([0]);
    expect(matches(texts, "f32")).toEqual([0, 1]);
    expect(matches(texts, "add mul")).toEqual([]);
  });

  it("tells an empty search from one that finds nothing", () => {
    expect(matches(texts, "  ")).toBeNull();
  });
});

describe("GraphIndex", () => {
  it("lists each user once", () => {
    const data = view({ graphs: [graph({ inputs: [[], [0, 0], [0, 1]] })] });
    const index = new GraphIndex(data.graphs[0], [], new Sources(data));
    expect(index.users).toEqual([[1, 2], [2], []]);
  });
});

describe("hits elsewhere", () => {
  const others = [graph({ id: 1, inputs: [] }), graph({ id: 2, number: 2, inputs: [] }), graph({ id: 3, number: 2, inputs: [] })];
  const told = (isHere: boolean, counts: readonly number[]) => elsewhere(1, isHere, others, ({ id }) => counts[id]).map(({ graph: { id }, count }) => [id, count]);

  it("are those of the other stages, and of another captured graph where this one has none", () => {
    expect(told(true, [0, 2, 3, 4])).toEqual([[1, 2]]);
    expect(told(false, [0, 2, 3, 4])).toEqual([[1, 2]]);
    expect(told(false, [0, 0, 3, 4])).toEqual([[2, 3]]);
    expect(told(false, [0, 0, 0, 4])).toEqual([[3, 4]]);
    expect(told(true, [0, 0, 3, 4])).toEqual([]);
    expect(told(false, [0, 0, 0, 0])).toEqual([]);
  });
});

describe("homePlaces", () => {
  it("prefers the innermost line outside PyTorch", () => {
    const data = view({
      sources: [source(0, ["model(x)"]), source(1, ["h = self.fc(x)"], "library", "transformers/gpt2.py"), source(2, ["F.linear"], "library", "/x/torch/nn/modules/linear.py")],
      links: { stacks: [[[0, 1], [1, 1], [2, 1]], [[2, 1]], []], graph_links: [] },
    });
    expect(homePlaces(data)).toEqual([[1, 1], [2, 1], null]);
  });
});

describe("splitTarget", () => {
  it.each([
    ["aten.add.Tensor", ["aten.", "add", ".Tensor"]],
    ["torch.ops.aten.view.default", ["torch.ops.aten.", "view", ".default"]],
    ["prims.iota.default", ["prims.", "iota", ".default"]],
    ["torch.nn.functional.linear", ["torch.nn.functional.", "linear", ""]],
    ["operator.add", ["operator.", "add", ""]],
    ["sum", ["", "sum", ""]],
    ["", ["", "", ""]],
  ])("splits %s", (target, parts) => {
    expect(splitTarget(target)).toEqual(parts);
  });
});
