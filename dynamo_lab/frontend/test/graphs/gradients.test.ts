import { describe, expect, it } from "vitest";
import { homePlaces, Sources } from "../../src/core/places";
import { forwardLines } from "../../src/graphs/gradients";
import { GraphIndex } from "../../src/graphs/graph-index";
import { graph, source, view } from "../sample";

// The joint graph's node 1 is of line 1; the backward has it as node 1, and node 2 with line 2 of its own.
const joint = graph({ id: 0, stage: "joint", inputs: [[], [0]], stack: [-1, 0] });
const backward = graph({ id: 1, stage: "backward", isBackward: true, inputs: [[], [0], [1], [2]], stack: [-1, -1, 1, 0] });
const later = graph({ id: 2, stage: "post_grad", isBackward: true, inputs: [[], [0]], stack: [-1, -1] });
const all = view({
  sources: [source(0, ["y = f(x)", "z = g(y)"])],
  graphs: [joint, backward, later],
  links: { stacks: [[[0, 1]], [[0, 2]]], graph_links: [[0, 1, [1, 1, 1, 2, 1, 3]], [1, 2, [1, 1]]] },
});
const places = homePlaces(all);
const lines = forwardLines(all, places);
const index = (of: typeof joint) => new GraphIndex(of, places, new Sources(all), all.links.stacks, lines);

describe("forwardLines", () => {
  it("finds the line of what a backward node was made from, over several stages", () => {
    expect(lines(backward, 1)).toEqual([0, 1]);
    expect(lines(later, 1)).toEqual([0, 1]);
  });

  it("knows none for a forward node, or one that came from nowhere", () => {
    expect(lines(joint, 1)).toBeNull();
    expect(lines(backward, 0)).toBeNull();
  });

  it("ends where links go round in circles", () => {
    const loop = view({ graphs: [backward], links: { stacks: [], graph_links: [[1, 1, [1, 1]]] } });
    expect(forwardLines(loop, [])(backward, 1)).toBeNull();
  });
});

describe("GraphIndex", () => {
  it("marks as gradients those whose own line is another, or none", () => {
    expect([...index(backward).gradient]).toEqual([1, 2]);
    expect(index(backward).home).toEqual([null, [0, 1], [0, 1], [0, 1]]);
    expect(index(joint).gradient.size).toBe(0);
  });
});
