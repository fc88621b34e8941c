import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { NOTHING, OWN, Recordings } from "../src/core/recordings";
import type { PairView, View } from "../src/core/types.generated";
import { KernelRuns, RUN_PATIENCE_MS, type RunMessage } from "../src/hosts/runs";
import { changed, written } from "../src/lowering/lower-again";
import { diffTone } from "../src/ui/differing";
import { view } from "./sample";

async function packed(of: View): Promise<DataView> {
  const stream = new Blob([JSON.stringify(of)]).stream().pipeThrough(new CompressionStream("gzip"));
  return new DataView(await new Response(stream).arrayBuffer());
}

function runs(): { runs: KernelRuns; sent: (RunMessage | { readonly type: "stop" })[] } {
  const sent: (RunMessage | { readonly type: "stop" })[] = [];
  return { runs: new KernelRuns((message) => void sent.push(message)), sent };
}

const pair = (a: string, b: string): PairView => ({ a, b, facts: [`${a} to ${b}`], works: [], compilers: null });

describe("KernelRuns", () => {
  it("asks the kernel, and hands on what came of it", async () => {
    const { runs: asking, sent } = runs();
    const asked = asking.run("try_fix", OWN, { break: 3, fix: "torch.where" });
    expect(sent).toEqual([{ type: "run", what: "try_fix", of: OWN, break: 3, fix: "torch.where", request: 1 }]);
    asking.receive({ type: "ran", request: 1, label: "with torch.where", outcome: { same: true } }, await packed(view({ main_source: 7 })));
    const ran = await asked;
    expect([ran.label, ran.outcome, ran.view.main_source, ran.pairs]).toEqual(["with torch.where", { same: true }, 7, []]);
  });

  it("asks the kernel to stop", () => {
    const { runs: asking, sent } = runs();
    asking.stop();
    expect(sent).toEqual([{ type: "stop" }]);
  });

  it("rejects with the sentence that the kernel sends, and leaves other requests waiting", async () => {
    const { runs: asking } = runs();
    const first = asking.run("relower", OWN, {});
    const second = asking.run("relower", OWN, {});
    asking.receive({ type: "ran", request: 1, error: "There is no program." }, undefined);
    await expect(first).rejects.toThrow("There is no program.");
    asking.receive({ type: "ran", request: 2, label: "b", outcome: {} }, await packed(view({})));
    expect((await second).label).toBe("b");
  });

  it("rejects what cannot be read", async () => {
    const { runs: asking } = runs();
    const asked = asking.run("relower", OWN, {});
    asking.receive({ type: "ran", request: 1, label: "a", outcome: {} }, new DataView(new ArrayBuffer(4)));
    await expect(asked).rejects.toThrow("could not be read");
  });
});

describe("a kernel that has gone", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("is told after a while", async () => {
    const { runs: asking } = runs();
    const told = expect(asking.run("relower", OWN, {})).rejects.toThrow("The kernel does not answer");
    vi.advanceTimersByTime(RUN_PATIENCE_MS);
    await told;
  });
});

describe("diffTone", () => {
  it("tells added and removed lines apart", () => {
    expect(["+y", "-y", " y", ""].map(diffTone)).toEqual(["dl-added", "dl-removed", "", ""]);
  });
});

describe("Recordings", () => {
  const made = (label: string, against: readonly string[] = []) => ({ label, outcome: {}, view: view({ main_source: 5 }), pairs: against.map((one) => pair(one, label)) });

  it("shows the reader's own until another is chosen, and again when that has gone", () => {
    const recordings = new Recordings();
    expect(recordings.view.value).toBeNull();
    recordings.reset(view({}));
    expect(recordings.shown.value?.label).toBe(OWN);
    recordings.add(made("mps", [OWN]), { base: OWN, fix: "", asked: { target: "mps", switches: {} } });
    recordings.show("mps");
    expect([recordings.view.value?.main_source, recordings.shown.value?.base]).toEqual([5, OWN]);
    recordings.reset(view({}));
    expect([recordings.shown.value?.label, recordings.pairs.value]).toEqual([OWN, []]);
  });

  it("replaces one of the same label, with its pairs", () => {
    const recordings = new Recordings();
    recordings.reset({ labels: ["cpu", "mps"], views: [view({}), view({})], ranks: null, lines: [], pairs: [pair("cpu", "mps")] });
    recordings.add(made("new", ["cpu", "mps"]), { base: "cpu", fix: "", asked: NOTHING });
    recordings.add(made("new", ["cpu", "mps"]), { base: "cpu", fix: "", asked: NOTHING });
    expect(recordings.entries.value.map((entry) => entry.label)).toEqual(["cpu", "mps", "new"]);
    expect(recordings.pairs.value).toHaveLength(3);
    expect(recordings.between("new", "mps")).toBe(recordings.between("mps", "new"));
    expect(recordings.between("cpu", "nobody")).toBeNull();
  });
});

describe("switches", () => {
  it("are changed and taken back one by one", () => {
    const one = changed(NOTHING, "max_fusion_size", 1);
    const two = changed(one, "inplace_buffers", false);
    expect(two).toEqual({ target: "", switches: { max_fusion_size: 1, inplace_buffers: false } });
    expect(changed(two, "max_fusion_size", undefined).switches).toEqual({ inplace_buffers: false });
    expect(NOTHING.switches).toEqual({});
  });

  it("are written as in Python", () => {
    expect([null, true, false, 16, "max-autotune"].map(written)).toEqual(["None", "True", "False", "16", "max-autotune"]);
  });
});
