import { signal } from "@preact/signals";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { buildModel, type Model } from "../src/core/model";
import { workAhead } from "../src/shell/ahead";
import { view } from "./sample";

describe("workAhead", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const started = () => {
    const done: string[] = [];
    const model = signal<Model | null>(null);
    const piece = (name: string) => () => void done.push(name);
    const parts = [{ ahead: () => [piece("rows"), piece("index")] }, {}, { ahead: () => [piece("steps")] }];
    return { done, model, stop: workAhead({ model, parts }) };
  };

  it("does a piece at a time, none at once", () => {
    const { done, model } = started();
    model.value = buildModel(view({}));
    expect(done).toEqual([]);
    vi.advanceTimersToNextTimer();
    expect(done).toEqual(["rows"]);
    vi.runAllTimers();
    expect(done).toEqual(["rows", "index", "steps"]);
  });

  it("begins anew with another view, and ends with the UI", () => {
    const { done, model, stop } = started();
    model.value = buildModel(view({}));
    vi.advanceTimersToNextTimer();
    model.value = buildModel(view({}));
    vi.advanceTimersToNextTimer();
    expect(done).toEqual(["rows", "rows"]);
    stop();
    vi.runAllTimers();
    expect(done).toEqual(["rows", "rows"]);
  });
});
