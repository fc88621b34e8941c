// The cases that tests/view/test_search.py reads too: one language in both.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { View } from "../../src/core/types.generated";
import { usersOf } from "../../src/graphs/graph-index";
import { parse, widened } from "../../src/graphs/query";
import { Searched } from "../../src/graphs/search";

const read = (path: string): string => readFileSync(new URL(`../../../../tests/view/${path}`, import.meta.url), "utf8");
const cases = JSON.parse(read("search_cases.json")) as {
  found: [string, Record<string, number[]>][];
  refused: [string, string][];
  widened: [string, string][];
};
const view = JSON.parse(read("golden/search/test_the_view_that_both_search.txt")) as Pick<View, "graphs" | "links" | "sources">;

describe("the search language", () => {
  it.each(cases.found)("finds %j", (query, expected) => {
    const terms = parse(query);
    if (typeof terms === "string") throw new Error(terms);
    const found = view.graphs.map((graph) => [String(graph.id), new Searched(graph, usersOf(graph), view.links.stacks, view.sources).find(terms)] as const);
    expect(Object.fromEntries(found.filter(([, nodes]) => nodes.length > 0))).toEqual(expected);
  });

  it.each(cases.refused)("says what it does not understand of %j", (query, sentence) => {
    expect(parse(query)).toBe(sentence);
  });

  it.each(cases.widened)("widens %j", (query, expected) => {
    expect(widened(query)).toBe(expected);
  });
});
