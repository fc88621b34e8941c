// What is offered: no tab that is empty where nothing was compiled, and no question that cannot be answered.
import { signal } from "@preact/signals";
import { expect, it } from "vitest";
import { NOTHING } from "../src/core/recordings";
import { type DataSource, offers } from "../src/core/source";
import { createStore } from "../src/core/store";
import type { View } from "../src/core/types.generated";
import { PARTS } from "../src/parts";
import { showing, view } from "./sample";

const of = (parts: Partial<View["summary"]>): View => view({ summary: { ...view({}).summary, ...parts } });

function living(shown: View): DataSource {
  const runs = { ready: signal(true), run: () => Promise.reject(new Error()), stop: () => undefined };
  return { recordings: showing(shown), progress: signal(null), failure: signal(""), asset: () => Promise.reject(new Error()), runs };
}

it("has no tab where nothing was compiled, whether it failed or not", () => {
  for (const failure of ["", "ValueError: no, at line 1"]) expect(createStore(living(of({ failure })), PARTS).tabs.value).toEqual([]);
  const going = createStore(living(of({ state: "recording" })), PARTS).tabs.value;
  expect(going).toContain("breaks");
  expect(going).toContain("timeline");
});

it("has the tabs that a failed program came to", () => {
  const failed = of({ failure: "ValueError: no" });
  const timed = { ...failed, timeline: { ...failed.timeline, phases: [["dynamo", 0, 1, 0, "0/0", ""]] } } as unknown as View;
  expect(createStore(living(timed), PARTS).tabs.value).toEqual(["timeline"]);
});

it("offers to measure and to lower again only what can be", () => {
  const tabs = (shown: View): readonly string[] => createStore(living(shown), PARTS).tabs.value;
  expect(tabs(of({ offers: ["bench"] }))).toContain("bench");
  expect(tabs(of({ offers: ["lower"] }))).not.toContain("bench");
  expect(offers(living(of({ offers: ["lower"] })), "lower")).toBe(true);
  expect(offers(living(of({})), "lower")).toBe(false);
  expect(createStore({ ...living(of({ offers: ["bench"] })), runs: undefined }, PARTS).tabs.value).not.toContain("bench");
});

it("offers of one that failed with other switches what the first one offers", () => {
  const source = living(of({ offers: ["lower"] }));
  const base = source.recordings.entries.value[0].label;
  source.recordings.add({ label: "max_fusion_size=1", view: of({ failure: "E" }), pairs: [], outcome: null }, { base, fix: "", asked: NOTHING });
  source.recordings.show("max_fusion_size=1");
  expect(offers(source, "lower")).toBe(true);
});
