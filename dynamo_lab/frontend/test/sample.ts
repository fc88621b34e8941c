// Views in miniature: two lines, two stages, one kernel; and graphs of any shape.
import { Recordings } from "../src/core/recordings";
import type { DecompositionsView, GraphView, KernelView, ModuleView, RepeatView, SourceView, View } from "../src/core/types.generated";

export interface GraphSpec {
  readonly id?: number;
  readonly stage?: string;
  readonly inputs: readonly (readonly number[])[];
  readonly ops?: readonly string[];
  readonly stack?: readonly number[];
  readonly modules?: readonly ModuleView[];
  readonly parent?: number | null;
  readonly compileId?: string;
  readonly isBackward?: boolean;
  readonly number?: number;
  readonly repeats?: readonly RepeatView[];
}

export function graph(spec: GraphSpec): GraphView {
  const count = spec.inputs.length;
  const ops = spec.ops ?? spec.inputs.map((inputs) => (inputs.length === 0 ? "placeholder" : "call_function"));
  const strings = ["", "aten.add.Tensor", ...new Set(ops)];
  return {
    id: spec.id ?? 0, number: spec.number ?? 1, title: `graph ${spec.id ?? 0}`, subtitle: "", stage: spec.stage ?? "dynamo", frame: 0,
    compile_id: spec.compileId ?? "0/0", is_backward: spec.isBackward ?? false,
    operators: ops.filter((op) => op.startsWith("call_")).length,
    strings, values: ["f32[8, 8]"],
    name: spec.inputs.map((_, i) => `n${i}`),
    op: ops.map((op) => strings.indexOf(op)),
    target: spec.inputs.map(() => 1),
    arguments: spec.inputs.map((inputs) => inputs.map((i) => `n${i}`).join(", ")),
    inputs: spec.inputs,
    value: new Array<number>(count).fill(0),
    stack: spec.stack ?? new Array<number>(count).fill(-1),
    module: new Array<number>(count).fill(0),
    subgraphs: {},
    modules: spec.modules ?? [module("", spec.inputs.map((_, i) => i))],
    parent: spec.parent ?? null, parent_node: null,
    bytes: [256], layouts: [""], kinds: { elementwise: [1] }, flops: null, arithmetic: "FLOP unknown: no products", repeats: spec.repeats ?? [],
  };
}

export function module(name: string, nodes: readonly number[], children: readonly number[] = []): ModuleView {
  return { name, path: name, type: "", nodes, children };
}

export function source(id: number, texts: readonly string[], kind = "cell", path = "cell"): SourceView {
  return { id, label: path, path, kind, lines: texts.map((text, i) => [i + 1, text, "compiled", 0, 0]), marks: [], notice: "", is_wrapper: false };
}

export function kernel(id: number, graphId: number, nodes: readonly number[]): KernelView {
  return {
    id, name: `k${id}`, title: "", language: "cpp", graph: graphId, wrapper: null, nodes, operators: [], where: "",
    code: "", line: null, calls: 1, is_backward: false, buffers: [], notes: [], statements: [], origins: [], coverage: "",
  };
}

export const NO_DECOMPOSITIONS: DecompositionsView = {
  sets: [["core_aten", "core ATen"], ["inductor", "Inductor"], ["prims", "prims"]],
  counts: [], operators: [], tops: [], extern: [], no_rule: [], trees: { calls: [], steps: [], rules: [] }, empty: "none",
};

export function view(parts: Partial<View>): View {
  return {
    summary: { title: "f", sentence: "", counts: [], state: "done", failure: "", failure_text: "", is_failure_told: false, tone: "plain", library_frames: 0, target: "", offers: [] },
    sources: [], main_source: 0, breaks: [], frames: [], graphs: [],
    guards: { guards: [], recompiles: [], refusals: [], costs: [] }, shapes: { symbols: [], others: [] }, kernels: { kernels: [], wrappers: [], empty: "", assemblies: [], gpus: [] },
    timeline: { seconds: 0, phases: [], totals: [], parallel: [], costs: [], caches: [], warm_start: { sentence: "", is_measured: false, details: [] }, memory: { sentence: "", rows: [], note: "" } }, links: { stacks: [], graph_links: [] }, expressions: { shown: [], stacks: [], nodes: [] }, notes: [], environment: [], passes: { pipelines: [], passes: [], patterns: [] }, readings: [], steps: null, stories: [], run_map: [], partitions: [],
    decompositions: NO_DECOMPOSITIONS, packages: [], attentions: [], fast_paths: [], choices: [], bench: null, bisection: null, artifacts: [], logs: { records: [], kinds: [], left: "" }, fusions: { schedules: [], unseen: {} },
    compiler: { graphs: [], empty: "none" },
    lowering: { lowerings: [], buffers: [], operators: [], called: [], cuda_trees: [], cuda_unknown: "", empty: "none" },
    findings: { found: [], more: 0, clean: "" }, is_draft: false, training: null,
    modules: { rows: [], roots: [], sentences: [], empty: "none" },
    ...parts,
  };
}

export function showing(of: View): Recordings {
  const recordings = new Recordings();
  recordings.reset(of);
  return recordings;
}

/** Line 1 makes node 1, line 2 makes node 2; the later graph splits node 1 in two; the kernel takes one half. */
export function small(): View {
  return view({
    sources: [source(0, ["y = x + 1", "return y * 2", ""])],
    graphs: [
      graph({ id: 0, inputs: [[], [0], [1]], stack: [-1, 0, 1] }),
      graph({ id: 5, stage: "post_grad", inputs: [[], [0], [1], [2]], stack: [-1, 0, 0, 1] }),
    ],
    kernels: { kernels: [kernel(0, 5, [2]), kernel(1, 5, [3])], wrappers: [], empty: "", assemblies: [], gpus: [] },
    links: { stacks: [[[0, 1]], [[0, 2]]], graph_links: [[0, 5, [1, 1, 1, 2, 2, 3]]] },
  });
}
