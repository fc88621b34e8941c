// The View as JSON: a mirror of dynamo_lab/view/*.py, where each field is explained.

/** "compiling" is ours (pending.ts); the others are Python's. */
export type LineState = "" | "compiled" | "eager" | "skipped" | "failed" | "compiling";

/** number, text, state, region, kernels */
export type LineView = readonly [number, string, LineState, number, number];

export interface Mark {
  readonly kind: "break" | "failure";
  readonly line: number;
  readonly column: number;
  readonly end_line: number;
  readonly end_column: number;
  readonly label: string;
  readonly target: string;
}

export interface SourceView {
  readonly id: number;
  readonly label: string;
  readonly path: string;
  readonly kind: string;
  readonly lines: readonly LineView[];
  readonly marks: readonly Mark[];
}

export interface StackLine {
  readonly label: string;
  readonly function: string;
  readonly text: string;
  readonly entity: string;
}

export interface ExampleView {
  readonly before: string;
  readonly after: string;
}

export interface FixView {
  readonly name: string;
  readonly sentence: string;
  readonly code: string;
}

/** What came of a fix; counts are name, before, after. */
export interface TrialView {
  readonly fix: string;
  readonly counts: readonly (readonly [string, number, number])[];
  readonly numbers: string;
  readonly same: boolean | null;
  readonly failure: string;
  readonly new_breaks: readonly string[];
}

export interface BreakView {
  readonly id: number;
  readonly title: string;
  readonly where: string;
  readonly text: string;
  readonly column: number;
  readonly end_column: number;
  readonly effect: string;
  readonly frame: string;
  readonly reason: string;
  readonly explanation: string;
  readonly advice: readonly string[];
  readonly context: string;
  readonly registry_id: string;
  readonly link: string;
  readonly stack: readonly StackLine[];
  readonly before: number | null;
  readonly after: readonly number[];
  readonly times: number;
  readonly example: ExampleView | null;
  readonly fixes: readonly FixView[];
}

export interface AttemptView {
  readonly label: string;
  readonly outcome: string;
  readonly reason: string;
  readonly graph: number | null;
  readonly seconds: number;
  readonly recompiled: readonly string[];
  readonly bytecode: string;
}

export interface FrameView {
  readonly id: number;
  readonly name: string;
  readonly where: string;
  readonly entity: string;
  readonly outcome: string;
  readonly reason: string;
  readonly explanation: string;
  readonly resumes: number | null;
  readonly depth: number;
  readonly attempts: readonly AttemptView[];
  readonly graphs: readonly number[];
  readonly breaks: readonly number[];
  readonly guards: number;
  readonly bytecode: string;
  readonly is_library: boolean;
}

export interface ModuleView {
  readonly name: string;
  readonly path: string;
  readonly type: string;
  readonly nodes: readonly number[];
  readonly children: readonly number[];
}

export interface GraphView {
  readonly id: number;
  readonly number: number;
  readonly title: string;
  readonly subtitle: string;
  readonly stage: string;
  readonly frame: number | null;
  readonly compile_id: string;
  readonly is_backward: boolean;
  readonly operators: number;
  readonly strings: readonly string[];
  readonly values: readonly string[];
  readonly name: readonly string[];
  readonly op: readonly number[];
  readonly target: readonly number[];
  readonly arguments: readonly string[];
  readonly inputs: readonly (readonly number[])[];
  readonly value: readonly number[];
  readonly stack: readonly number[];
  readonly module: readonly number[];
  readonly subgraphs: Readonly<Record<string, readonly number[]>>;
  readonly modules: readonly ModuleView[];
  readonly parent: number | null;
}

export interface GuardView {
  readonly kind: string;
  readonly source: string;
  readonly expressions: readonly string[];
  readonly where: string;
  readonly entity: string;
  readonly frame: number;
  readonly compile_id: string;
}

export interface RecompileView {
  readonly frame: number;
  readonly title: string;
  readonly compile_id: string;
  readonly failures: readonly (readonly [string, string])[];
  readonly advice: string;
  readonly limit_hit: boolean;
}

export interface GuardsView {
  readonly guards: readonly GuardView[];
  readonly recompiles: readonly RecompileView[];
}

export interface KernelView {
  readonly id: number;
  readonly name: string;
  readonly title: string;
  readonly language: string;
  readonly graph: number | null;
  readonly wrapper: number | null;
  readonly nodes: readonly number[];
  readonly operators: readonly string[];
  readonly where: string;
  readonly code: string;
  readonly line: number | null;
  readonly calls: number;
  readonly is_backward: boolean;
}

export interface WrapperView {
  readonly id: number;
  readonly title: string;
  readonly language: string;
  readonly code: string;
  readonly graph: number | null;
}

export interface KernelsView {
  readonly kernels: readonly KernelView[];
  readonly wrappers: readonly WrapperView[];
  readonly empty: string;
}

export interface LinksView {
  readonly stacks: readonly (readonly (readonly [number, number])[])[];
  readonly graph_links: readonly (readonly [number, number, readonly number[]])[];
}

export interface Count {
  readonly value: string;
  readonly label: string;
  readonly tone: "plain" | "good" | "warning" | "bad";
  readonly tab: string;
}

export interface Summary {
  readonly title: string;
  readonly sentence: string;
  readonly counts: readonly Count[];
  readonly state: "recording" | "done";
  readonly failure: string;
  readonly library_frames: number;
}

/** name, start, seconds, depth, compile id, explanation */
export type PhaseView = readonly [string, number, number, number, string, string];

export interface TimelineView {
  readonly seconds: number;
  readonly phases: readonly PhaseView[];
  readonly totals: readonly (readonly [string, number, number])[];
  readonly parallel: readonly (readonly [string, number])[];
}

export interface NoteView {
  readonly level: string;
  readonly about: string;
  readonly message: string;
  readonly details: string;
}

export interface View {
  readonly summary: Summary;
  readonly sources: readonly SourceView[];
  readonly main_source: number;
  readonly breaks: readonly BreakView[];
  readonly frames: readonly FrameView[];
  readonly graphs: readonly GraphView[];
  readonly guards: GuardsView;
  readonly kernels: KernelsView;
  readonly timeline: TimelineView;
  readonly links: LinksView;
  readonly notes: readonly NoteView[];
  readonly environment: readonly (readonly [string, string])[];
}

export interface Progress {
  readonly active: boolean;
  readonly stage: string;
  readonly detail: string;
  readonly fraction: number | null;
  readonly seconds: number;
}
