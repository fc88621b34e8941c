// The views, in the compiler's order, grouped by what the reader asks.

export const TABS = [
  "overview", "ranks", "modules", "logs", "artifacts", "breaks", "steps", "guards", "frames", "graphs", "decompositions", "passes", "autograd",
  "lowering", "compiler", "choices", "attention", "fast_path", "fusion", "memory", "playground", "kernels", "package", "bench", "roofline", "timeline",
] as const;
export type Tab = (typeof TABS)[number];

export const TAB_NAMES: Readonly<Record<Tab, string>> = {
  overview: "Overview", ranks: "Ranks", modules: "Model", logs: "Messages", artifacts: "Log", breaks: "Breaks", steps: "Steps", guards: "Guards", frames: "Frames",
  graphs: "Stages", decompositions: "Decompositions", passes: "Passes", autograd: "Autograd",
  lowering: "Operators", compiler: "Compiler", choices: "Choices", attention: "Attention", fast_path: "Fast path", fusion: "Fusion", memory: "Memory", playground: "Playground", kernels: "Code", package: "Package",
  bench: "Bench", roofline: "Roofline", timeline: "Compile time",
};

/** A question of the reader, and the views that answer it. */
export interface Group {
  readonly name: string;
  readonly tabs: readonly Tab[];
}

export const GROUPS: readonly Group[] = [
  { name: "Overview", tabs: ["overview", "ranks", "modules", "logs", "artifacts"] },
  { name: "Capture", tabs: ["breaks", "steps", "guards", "frames"] },
  { name: "Graphs", tabs: ["graphs", "decompositions", "passes", "autograd"] },
  { name: "Lowering", tabs: ["lowering", "compiler", "choices", "attention", "fast_path", "fusion", "memory", "playground"] },
  { name: "Kernels", tabs: ["kernels", "package"] },
  { name: "Time", tabs: ["bench", "roofline", "timeline"] },
];

export const isTab = (name: string): name is Tab => (TABS as readonly string[]).includes(name);

/** What a view is called where its group does not stand beside it: "Kernels", "Compile time". */
export function placeName(tab: Tab): string {
  const group = GROUPS.find(({ tabs }) => tabs[0] === tab);
  return group && group.name !== "Capture" && group.name !== "Time" ? group.name : TAB_NAMES[tab];
}
