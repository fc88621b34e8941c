import { signal } from "@preact/signals";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { TRIAL_PATIENCE_MS, TrialRuns, type TryFix } from "../src/hosts/trials";
import { diffTone } from "../src/parts/fixes";
import type { TrialView, View } from "../src/types";
import { view } from "./sample";

const outcome: TrialView = { fix: "torch.where", counts: [["breaks", 1, 0]], numbers: "same", same: true, failure: "", new_breaks: [] };

async function packed(of: View): Promise<DataView> {
  const stream = new Blob([JSON.stringify(of)]).stream().pipeThrough(new CompressionStream("gzip"));
  return new DataView(await new Response(stream).arrayBuffer());
}

function runs(): { trials: TrialRuns; sent: TryFix[]; own: View } {
  const own = view({});
  const sent: TryFix[] = [];
  return { trials: new TrialRuns(signal<View | null>(own), (message) => void sent.push(message)), sent, own };
}

describe("TrialRuns", () => {
  it("asks the kernel, and shows the new recording in place and the own one again", async () => {
    const { trials, sent, own } = runs();
    const asked = trials.run(3, "torch.where");
    expect(sent).toEqual([{ type: "try_fix", break: 3, fix: "torch.where", request: 1 }]);
    trials.receive({ type: "trial", request: 1, trial: outcome }, await packed(view({ main_source: 7 })));
    const trial = await asked;
    expect(trial.outcome).toEqual(outcome);
    trials.show(trial);
    expect([trials.view.value?.main_source, trials.shown.value]).toEqual([7, "torch.where"]);
    trials.show(null);
    expect(trials.view.value).toBe(own);
    expect(trials.shown.value).toBe("");
  });

  it("rejects with the sentence that the kernel sends, and leaves other requests waiting", async () => {
    const { trials } = runs();
    const first = trials.run(0, "a");
    const second = trials.run(1, "b");
    trials.receive({ type: "trial", request: 1, error: "There is no fix." }, undefined);
    await expect(first).rejects.toThrow("There is no fix.");
    trials.receive({ type: "trial", request: 2, trial: outcome }, await packed(view({})));
    expect((await second).outcome.fix).toBe("torch.where");
  });

  it("rejects what cannot be read", async () => {
    const { trials } = runs();
    const asked = trials.run(0, "a");
    trials.receive({ type: "trial", request: 1, trial: outcome }, new DataView(new ArrayBuffer(4)));
    await expect(asked).rejects.toThrow("could not be read");
  });
});

describe("a kernel that has gone", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("is told after a while", async () => {
    const { trials } = runs();
    const told = expect(trials.run(0, "a")).rejects.toThrow("The kernel does not answer");
    vi.advanceTimersByTime(TRIAL_PATIENCE_MS);
    await told;
  });
});

describe("diffTone", () => {
  it("tells added and removed lines apart", () => {
    expect(["+y", "-y", " y", ""].map(diffTone)).toEqual(["dl-added", "dl-removed", "", ""]);
  });
});
