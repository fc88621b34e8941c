// The tabs, in their order.

export const TABS = ["breaks", "steps", "graphs", "autograd", "decompositions", "passes", "lowering", "compiler", "fusion", "kernels", "bench", "package", "guards", "frames", "timeline", "artifacts"] as const;
export type Tab = (typeof TABS)[number];

export const TAB_NAMES: Readonly<Record<Tab, string>> = {
  breaks: "Breaks", steps: "Steps", graphs: "Graphs", autograd: "Autograd", decompositions: "Decompositions", passes: "Passes", lowering: "Lowering", compiler: "Compiler", fusion: "Fusion", kernels: "Kernels", bench: "Bench", package: "Package",
  guards: "Guards", frames: "Frames", timeline: "Timeline", artifacts: "Artifacts",
};
