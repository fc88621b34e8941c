// The cases that Python's tests read too: one language in both.
import { describe, expect, it } from "vitest";
import type { View } from "../../src/core/types.generated";
import { usersOf } from "../../src/graphs/graph-index";
import { parse, widened } from "../../src/graphs/query";
import { Searched } from "../../src/graphs/search";
import { cases } from "../cases";

interface Search {
  readonly view: Pick<View, "graphs" | "links" | "sources">;
  readonly found: readonly (readonly [string, Readonly<Record<string, readonly number[]>>])[];
  readonly refused: readonly (readonly [string, string])[];
  readonly widened: readonly (readonly [string, string])[];
}

const table = cases<Search>("search");
const { view } = table;

describe("the search language", () => {
  it.each(table.found)("finds %j", (query, expected) => {
    const terms = parse(query);
    if (typeof terms === "string") throw new Error(terms);
    const found = view.graphs.map((graph) => [String(graph.id), new Searched(graph, usersOf(graph), view.links.stacks, view.sources).find(terms)] as const);
    expect(Object.fromEntries(found.filter(([, nodes]) => nodes.length > 0))).toEqual(expected);
  });

  it.each(table.refused)("says what it does not understand of %j", (query, sentence) => {
    expect(parse(query)).toBe(sentence);
  });

  it.each(table.widened)("widens %j", (query, expected) => {
    expect(widened(query)).toBe(expected);
  });
});
