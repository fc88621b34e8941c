// What is offered: no tab that is empty where nothing was compiled, and no question that cannot be answered.
import { signal } from "@preact/signals";
import { expect, it } from "vitest";
import { NOTHING, Recordings } from "../src/core/recordings";
import { type DataSource, offers } from "../src/core/source";
import { createStore } from "../src/core/store";
import type { SideBySideView, View } from "../src/core/types.generated";
import { whyNotTimed } from "../src/kernels/timing";
import { PARTS } from "../src/parts";
import { showing, small, view } from "./sample";

const of = (parts: Partial<View["summary"]>): View => view({ summary: { ...view({}).summary, ...parts } });

function living(shown: View): DataSource {
  const runs = { ready: signal(true), run: () => Promise.reject(new Error()), stop: () => undefined };
  return { recordings: showing(shown), progress: signal(null), failure: signal(""), asset: () => Promise.reject(new Error()), runs };
}

it("has no tab where nothing was compiled, whether it failed or not", () => {
  for (const failure of ["", "ValueError: no, at line 1"]) expect(createStore(living(of({ failure })), PARTS).tabs.value).toEqual([]);
  const going = createStore(living(of({ state: "recording" })), PARTS).tabs.value;
  expect(going).toEqual(["overview"]);
});

it("offers no empty view, and groups the others in the compiler's order", () => {
  const store = createStore(living(small()), PARTS);
  expect(store.tab.value).toBe("overview");
  expect(store.groups.value.map(({ name, tabs }) => [name, tabs])).toEqual([
    ["Overview", ["overview"]], ["Graphs", ["graphs"]], ["Lowering", ["playground"]], ["Kernels", ["kernels"]],
  ]);
  store.setTab("passes");
  expect(store.tab.value).toBe("overview");
});

it("goes where it was asked to go before there was anything to show", () => {
  const recordings = new Recordings();
  const store = createStore({ ...living(small()), recordings }, PARTS);
  store.go("kernel:1", true);
  expect(store.pin.value).toBe("");
  recordings.reset(small());
  expect([store.tab.value, store.pin.value]).toEqual(["kernels", "kernel:1"]);
});

it("shows a line in another recording than the one that is shown", () => {
  const recordings = new Recordings();
  const other = { ...small(), sources: small().sources.map((one) => ({ ...one, id: 3 })) };
  recordings.reset({ labels: ["rank 0", "rank 1"], views: [small(), other], pairs: [], ranks: null } as unknown as SideBySideView);
  const store = createStore({ ...living(small()), recordings }, PARTS);
  store.go("line:0:1");
  recordings.show("rank 1");
  store.go("line:3:2");
  expect([store.model.value?.view.sources[0].id, store.pin.value]).toEqual([3, "line:3:2"]);
});

it("comes back to the view of a group that was shown last", () => {
  const shown = small();
  const guards = { ...shown.guards, guards: [{ entity: "" }] };
  const frames = [{ id: 0, entity: "", breaks: [], graphs: [] }];
  const store = createStore(living({ ...shown, guards, frames } as unknown as View), PARTS);
  const [overview, capture] = store.groups.value;
  expect(capture.tabs).toEqual(["guards", "frames"]);
  store.setTab("frames");
  store.setGroup(overview);
  expect(store.tab.value).toBe("overview");
  store.setGroup(capture);
  expect(store.tab.value).toBe("frames");
});

it("hides the code only where the cell's own margin shows it, until it is asked for", () => {
  const shown = small();
  const cell = { ...shown, sources: shown.sources.map((one) => ({ ...one, kind: "cell" })) };
  const file = { ...shown, sources: shown.sources.map((one) => ({ ...one, kind: "user" })) };
  const isShown = (of: View, margin: boolean): boolean => {
    const store = createStore(living(of), PARTS);
    store.margin.value = margin;
    return store.isCodeShown.value;
  };
  const wrapper = { ...shown, sources: shown.sources.map((one) => ({ ...one, kind: "library", is_wrapper: true })) };
  expect([isShown(cell, true), isShown(cell, false), isShown(file, true), isShown(wrapper, false)]).toEqual([false, true, true, false]);
  const store = createStore(living(cell), PARTS);
  store.margin.value = true;
  store.go("line:0:1", true);
  expect(store.isCodeShown.value).toBe(false);
  store.go("line:0:1");
  expect(store.isCodeShown.value).toBe(true);
  store.toggleCode();
  expect(store.isCodeShown.value).toBe(false);
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

it("times kernels where the program lives and runs, and else says why not", () => {
  const can = of({ offers: ["lower", "bench"] });
  expect(whyNotTimed(living(can), can)).toBe("");
  const page: DataSource = { ...living(can), runs: undefined };
  expect(whyNotTimed(page, can)).toContain("this page has none");
  const elsewhere = of({ offers: ["lower", "bench"], target: "Lowered for a GPU: the code was not built or run." });
  expect(whyNotTimed(living(elsewhere), elsewhere)).toBe(elsewhere.summary.target);
  const raised = of({ offers: ["lower"] });
  expect(whyNotTimed(living(raised), raised)).toBe("The program does not run to its end.");
  const gone = living(can);
  expect(whyNotTimed({ ...gone, runs: { ...gone.runs!, ready: signal(false) } }, can)).toContain("can run again");
  const going = of({ state: "recording" });
  expect(whyNotTimed(living(going), going)).toBe("The run is not over yet.");
});
