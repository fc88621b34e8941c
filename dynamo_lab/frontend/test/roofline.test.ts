import { describe, expect, it } from "vitest";
import { decades, plain, PLOT, radius, rateLabel, roofLine, scaleOf, toneOf } from "../src/benchmarks/roofline-scales";
import type { PointView } from "../src/core/types.generated";

// 10 GB/s and 1 TFLOP/s: the ridge lies at 100 operations a byte
const view = { x: [-2, 4] as const, y: [7, 13] as const, bandwidth: 1e10 };
const roof = { dtype: "float32", flops: 1e12, text: "1 TFLOP/s", ridge: 100 };
const point = (share: number | null): PointView => ({
  kernel: 0, name: "k", program: 0, calls: 4, seconds: 1, cache: "cold", intensity: 1, rate: 1e9, dtype: "float32", bound: "memory",
  share, is_small: false, is_cached: false, percent: "", time: "1 s", limit: "", work: "", reached: "", sentence: "",
});

describe("the plot", () => {
  it("spans its powers of ten", () => {
    const scale = scaleOf(view);
    expect([scale.x(0.01), scale.x(1e4)]).toEqual([PLOT.left, PLOT.width - PLOT.right]);
    expect([scale.y(1e7), scale.y(1e13)]).toEqual([PLOT.height - PLOT.bottom, PLOT.top]);
  });

  it("draws a roof up to its ridge, then level", () => {
    const scale = scaleOf(view);
    const places = roofLine(view, roof);
    expect(places).toEqual([
      { x: scale.x(0.01), y: scale.y(1e8) }, { x: scale.x(100), y: scale.y(1e12) }, { x: scale.x(1e4), y: scale.y(1e12) },
    ]);
  });

  it("starts a slope where the plot does, and leaves out one that lies before it", () => {
    const scale = scaleOf(view);
    expect(roofLine({ ...view, y: [9, 13] }, roof)[0].x).toBeCloseTo(scale.x(0.1));
    expect(roofLine({ ...view, x: [3, 4] }, roof)).toHaveLength(2);
  });

  it("labels at most nine powers of ten", () => {
    expect(decades([-2, 1])).toEqual([-2, -1, 0, 1]);
    expect(decades([0, 20])).toEqual([0, 3, 6, 9, 12, 15, 18]);
    expect(decades([3, 3])).toEqual([3]);
    expect([-3, 0, 2].map(plain)).toEqual(["0.001", "1", "100"]);
    expect([0, 5, 9, 13, 19].map(rateLabel)).toEqual(["1 FLOP/s", "100 kFLOP/s", "1 GFLOP/s", "10 TFLOP/s", "10000 PFLOP/s"]);
  });

  it("draws discs by the time of all calls", () => {
    expect(radius(point(null), 4)).toBe(11);
    expect(radius(point(null), 16)).toBe(7);
    expect(radius({ ...point(null), seconds: 0 }, 0)).toBe(3);
  });
});

describe("toneOf", () => {
  it("is plain where nothing can be told", () => {
    expect([0.9, 0.4, 0.1, null].map((share) => toneOf(point(share)))).toEqual(["good", "warning", "bad", "plain"]);
  });
});
