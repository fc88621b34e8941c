// Written by scripts/generate_types.py from Python's structs, by `npm run types`.

/**
 * Everything to show of one recording. `main_source` is the index in `sources` shown first.
 *
 * `is_draft` is one of a text that was changed in the playground.
 */
export interface View {
  readonly summary: Summary;
  readonly sources: readonly SourceView[];
  readonly main_source: number;
  readonly breaks: readonly BreakView[];
  readonly frames: readonly FrameView[];
  readonly graphs: readonly GraphView[];
  readonly guards: GuardsView;
  readonly shapes: ShapesView;
  readonly kernels: KernelsView;
  readonly timeline: TimelineView;
  readonly links: LinksView;
  readonly notes: readonly NoteView[];
  readonly environment: readonly (readonly [string, string])[];
  readonly expressions: ExpressionsView;
  readonly passes: PassesView;
  readonly steps: StepsView | null;
  readonly stories: readonly StoryView[];
  readonly run_map: readonly MapRow[];
  readonly partitions: readonly PartitionView[];
  readonly attentions: readonly AttentionView[];
  readonly fast_paths: readonly FastPathView[];
  readonly choices: readonly ChoiceRow[];
  readonly decompositions: DecompositionsView;
  readonly lowering: LoweringsView;
  readonly compiler: CompilerView;
  readonly fusions: FusionsView;
  readonly packages: readonly PackageView[];
  readonly bench: BenchView | null;
  readonly bisection: BisectionView | null;
  readonly artifacts: readonly ArtifactView[];
  readonly logs: LogsView;
  readonly readings: readonly Reading[];
  readonly findings: FindingsView;
  readonly modules: ModulesView;
  readonly training: TrainingView | null;
  readonly is_draft: boolean;
}

/**
 * `sentence` says in plain words what `torch.compile` made of the program, good or bad.
 *
 * `library_frames` counts the library frames that Dynamo skipped, which `counts` excludes.
 * `failure` is the error in a line, `failure_text` its message where that says more. Where
 * `is_failure_told`, the sentence tells it; `tone` is bad if it tells one that nobody caught.
 * `target` says what the program was lowered for, if its code was not built or run.
 * `offers` is what can be asked of the program where it still lives.
 */
export interface Summary {
  readonly title: string;
  readonly sentence: string;
  readonly counts: readonly Count[];
  readonly state: "done" | "recording";
  readonly failure: string;
  readonly failure_text: string;
  readonly is_failure_told: boolean;
  readonly tone: Tone;
  readonly library_frames: number;
  readonly target: string;
  readonly offers: readonly Offer[];
}

/** A number with its unit word ("2 breaks"); `tab` is the tab that explains it. */
export interface Count {
  readonly value: string;
  readonly label: string;
  readonly tone: Tone;
  readonly tab: string;
}

export type Tone = "bad" | "good" | "plain" | "warning";

export type Offer = "bench" | "lower";

/**
 * A source with its known lines. Where numbers jump, the lines between were not recorded.
 *
 * `notice` says what to know before reading it. A wrapper calls what was compiled, and has no
 * line of it: a model of a library alone, compiled as it is.
 */
export interface SourceView {
  readonly id: number;
  readonly label: string;
  readonly path: string;
  readonly kind: string;
  readonly lines: readonly LineView[];
  readonly marks: readonly Mark[];
  readonly notice: string;
  readonly is_wrapper: boolean;
}

/**
 * One line. `region` is the id of the dynamo graph that compiled it (the colour), -1 for none.
 *
 * `state` is empty for lines that are not part of a recorded frame (blank, definitions, comments).
 */
export type LineView = readonly [
  number: number,
  text: string,
  state: LineState,
  region: number,
  kernels: number,
];
export const LINE = { number: 0, text: 1, state: 2, region: 3, kernels: 4 } as const;

export type LineState = "" | "compiled" | "compiling" | "eager" | "failed" | "skipped";

/**
 * A mark on a range of a line: a break, a failure, a size that became a constant.
 *
 * Columns are as in Span, -1 for unknown.
 */
export interface Mark {
  readonly kind: MarkKind;
  readonly line: number;
  readonly column: number;
  readonly end_line: number;
  readonly end_column: number;
  readonly label: string;
  readonly target: string;
}

export type MarkKind = "break" | "failure" | "specialised";

/**
 * One break, ready to be shown. Texts are plain, never markup; views count breaks from 1.
 *
 * `before` and `after` are graph ids. `times` counts the compilations that broke there,
 * `heading` is the title where it stands alone.
 */
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
  readonly fixes: readonly Fix[];
  readonly heading: string;
}

/** A line of the user's stack, outermost first. `entity` is "line:<source>:<number>". */
export interface StackLine {
  readonly label: string;
  readonly function: string;
  readonly text: string;
  readonly entity: string;
}

/** Our example of the kind: a small program with this break, and the same without it. */
export interface ExampleView {
  readonly before: string;
  readonly after: string;
}

/** A fix to try: `rec.try_fix(break_id, name)` does. `code` is a setting, or a diff. */
export interface Fix {
  readonly name: string;
  readonly sentence: string;
  readonly code: string;
}

/**
 * One frame. `depth` is how many resumptions deep it is.
 *
 * `ran` is the outcome, or "eager" where nothing of it was compiled although Dynamo traced it: it
 * has no tensor operation, or broke with no way to resume.
 */
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
  readonly ran: string;
}

/** One analysis: its result and its cost. `bytecode` is the code Dynamo wrote. */
export interface AttemptView {
  readonly label: string;
  readonly outcome: string;
  readonly reason: string;
  readonly graph: number | null;
  readonly seconds: number;
  readonly recompiled: readonly string[];
  readonly bytecode: string;
}

/**
 * A graph. Columns are parallel, with one entry per node in graph order.
 *
 * `op` ("placeholder", "call_function"...), `target` ("aten.add.Tensor") and `module` index
 * `strings`; `value` indexes `values` (texts such as "f32[8, 8]"); `stack` indexes
 * `LinksView.stacks`, -1 for none. `modules[0]` is the root box. `number` is the number of
 * the captured graph that this one belongs to, from 1, or 0 where there is none.
 *
 * `bytes` and `layouts` are parallel to `values`: the size of a tensor, None where it is not
 * known, and its memory layout where that is not contiguous. `kinds` says of strings that
 * are targets what kind of work they do. `parent_node` calls this graph if it is a body.
 *
 * `flops` are the floating-point operations of the products that could be counted, None where
 * none could; `arithmetic` says it in words, and how much of the graph is counted. `repeats` are
 * the blocks of nodes that come several times, to be folded.
 */
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
  readonly parent_node: number | null;
  readonly bytes: readonly (number | null)[];
  readonly layouts: readonly string[];
  readonly kinds: Readonly<Record<string, readonly number[]>>;
  readonly flops: number | null;
  readonly arithmetic: string;
  readonly repeats: readonly RepeatView[];
}

/**
 * A box of the diagram: an nn.Module (or an operator kind group) with nodes and boxes in it.
 *
 * `type` is the module's class, empty where it is not known.
 * `nodes` are node indices directly inside; `children` are indices into `GraphView.modules`.
 */
export interface ModuleView {
  readonly name: string;
  readonly path: string;
  readonly type: string;
  readonly nodes: readonly number[];
  readonly children: readonly number[];
}

/**
 * `times` blocks of `size` neighbouring nodes, from node `first` on, equal but for names.
 *
 * Equal are the operators, what they produce (dtype, shape, strides and device), the lines that
 * they came from, the modules but for numbers in their names, what they are passed, and from where
 * each reads: from its own block, from the block before, from the same node before all blocks, or
 * from one there that is made alike, such as a weight of its own. `differs` says which of these
 * are not the same, and which numbers count. `parent` is the repeat in a block of which it lies,
 * -1 for none. `name` names the blocks by their modules, empty where they have none of their own,
 * and `holds` the operators of a block.
 */
export interface RepeatView {
  readonly first: number;
  readonly size: number;
  readonly times: number;
  readonly parent: number;
  readonly name: string;
  readonly holds: string;
  readonly differs: readonly string[];
}

/**
 * All guards in frame order, the recompilations before them, and how long a check takes.
 *
 * `refusals` are calls that a stance or a setting kept from being compiled.
 */
export interface GuardsView {
  readonly guards: readonly GuardView[];
  readonly recompiles: readonly RecompileView[];
  readonly costs: readonly GuardCostView[];
  readonly refusals: readonly RefusalView[];
}

/**
 * One guard: what it checks, in Dynamo's words, and the line that caused it.
 *
 * `text` says what it demands of a tensor or of the global state. `is_state`: it is on the state
 * of PyTorch, not on a value; `compile_ids` are the compilations that share it. `failed` says what
 * it led to that this guard did not hold; empty if that is not known of it.
 */
export interface GuardView {
  readonly kind: string;
  readonly source: string;
  readonly expressions: readonly string[];
  readonly where: string;
  readonly entity: string;
  readonly frame: number;
  readonly compile_id: string;
  readonly text: string;
  readonly is_state: boolean;
  readonly compile_ids: readonly string[];
  readonly failed: string;
}

/**
 * A compilation caused by failed guards, and what differs from the one before.
 *
 * `causes` are empty in recordings with only the texts of guards: `advice` is for those.
 */
export interface RecompileView {
  readonly frame: number;
  readonly title: string;
  readonly compile_id: string;
  readonly failures: readonly (readonly [string, string])[];
  readonly advice: string;
  readonly limit_hit: boolean;
  readonly causes: readonly CauseView[];
  readonly changes: ChangesView | null;
}

/**
 * A reason to recompile: what changed, which earlier code it rules out, how to avoid it.
 *
 * `where` is the line that caused the guard, `check` the guard in Dynamo's words, `guard` the
 * first of the guards that failed so, as an entity; empty if that is not known.
 */
export interface CauseView {
  readonly text: string;
  readonly earlier: readonly string[];
  readonly check: string;
  readonly where: string;
  readonly entity: string;
  readonly remedies: readonly Remedy[];
  readonly guard: string;
}

/** What to do, and the code that does it, where there is some. */
export interface Remedy {
  readonly text: string;
  readonly code: string;
}

/**
 * The differences from an earlier compilation, `against`.
 *
 * A row of `graph` is a sign and a text: "-" is gone, "+" is new, "~" produces something else.
 * `left` counts the rows that are left out.
 */
export interface ChangesView {
  readonly against: string;
  readonly symbols: readonly string[];
  readonly graph: readonly (readonly [string, string])[];
  readonly left: number;
  readonly summary: string;
  readonly kernels: string;
}

/**
 * One check of a compilation's guards, which precedes each of its calls.
 *
 * `rows` are there where it was measured by value, the costliest first; `filters` are sentences on
 * what PyTorch's own filters would leave.
 */
export interface GuardCostView {
  readonly compile_id: string;
  readonly title: string;
  readonly sentence: string;
  readonly seconds: number;
  readonly rows: readonly GuardCostRow[];
  readonly sum: string;
  readonly filters: readonly string[];
}

/** A value with all that is reached through it: what its guards take, and of the whole. */
export type GuardCostRow = readonly [name: string, seconds: number, share: number, values: number];

/**
 * What became of calls of a frame, by which stance or setting, and what to do.
 *
 * `where` is the line of the first such call, `set_at` the line that set the stance; empty where
 * that is not known. `reasons` say which guards did not hold for it, and of which code.
 */
export interface RefusalView {
  readonly frame: number;
  readonly title: string;
  readonly text: string;
  readonly where: string;
  readonly entity: string;
  readonly set_at: string;
  readonly set_entity: string;
  readonly reasons: readonly string[];
  readonly remedies: readonly Remedy[];
  readonly is_error: boolean;
}

/** The symbols in order of creation, and sizes without one that were meant to be dynamic. */
export interface ShapesView {
  readonly symbols: readonly SymbolView[];
  readonly others: readonly FactView[];
}

/**
 * One symbol of one compilation.
 *
 * `stands_for` are the values that share it, as written in code; `range` is its range; `value`
 * is what replaced it, if anything did, and `pinned` how that happened.
 */
export interface SymbolView {
  readonly name: string;
  readonly compile_id: string;
  readonly frame: string;
  readonly is_backed: boolean;
  readonly hint: string;
  readonly range: string;
  readonly stands_for: readonly string[];
  readonly value: string;
  readonly where: string;
  readonly entity: string;
  readonly pinned: readonly FactView[];
  readonly asked: readonly FactView[];
}

/** An assumption about a symbol, and the line that made the compiler assume it. */
export interface FactView {
  readonly event: string;
  readonly text: string;
  readonly expression: string;
  readonly where: string;
  readonly entity: string;
  readonly line: string;
}

/**
 * `empty` explains in one sentence why there is no kernel, where there is none.
 *
 * `gpus` are the targets that Triton kernels can be assembled for, the recording's first.
 */
export interface KernelsView {
  readonly kernels: readonly KernelView[];
  readonly wrappers: readonly WrapperView[];
  readonly empty: string;
  readonly assemblies: readonly AssemblyView[];
  readonly gpus: readonly string[];
}

/**
 * One kernel. `operators` names the ATen operators it fused.
 *
 * `origins` are (line of the code, source, line in it): the user's line that a statement is
 * for, the one that most of its nodes come from. A statement that serves several lines is
 * not among them, but counts in `coverage`. `notes` are
 * the recorder's remarks on the nodes that it computes.
 */
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
  readonly buffers: readonly string[];
  readonly notes: readonly string[];
  readonly statements: readonly Statement[];
  readonly origins: readonly (readonly [number, number, number])[];
  readonly coverage: string;
}

/** A line of a kernel's code, from 1, that computes, and the graph nodes that it implements. */
export type Statement = readonly [line: number, nodes: readonly number[], origin: Origin];

export type Origin = "emitted" | "serves" | "unknown";

/** The module Inductor wrote for one graph. */
export interface WrapperView {
  readonly id: number;
  readonly title: string;
  readonly language: string;
  readonly code: string;
  readonly graph: number | null;
}

/** A kernel assembled for one target; `resources` says what one block uses. */
export interface AssemblyView {
  readonly kernel: number;
  readonly target: string;
  readonly levels: readonly LevelView[];
  readonly resources: readonly string[];
  readonly chosen: string;
}

/** One level. `lines` is flat: line of `text`, line of the kernel, and so on, from 1. */
export interface LevelView {
  readonly name: string;
  readonly text: string;
  readonly lines: readonly number[];
}

/**
 * `totals` are (phase, seconds without those nested in it, share of all), largest first.
 *
 * They count each second of the wall clock once. `parallel` are (phase, seconds) of work that
 * other threads and processes did meanwhile. `costs` are the same seconds by what they were for,
 * `caches` what the compile caches would keep, `warm_start` what that is worth,
 * `memory` what compiling did to the process's peak.
 */
export interface TimelineView {
  readonly seconds: number;
  readonly phases: readonly PhaseView[];
  readonly totals: readonly (readonly [string, number, number])[];
  readonly parallel: readonly (readonly [string, number])[];
  readonly costs: readonly CostTable[];
  readonly caches: readonly CacheView[];
  readonly warm_start: WarmStartView;
  readonly memory: CompileMemoryView;
}

/** A bar: seconds from the recording's start, how deep it is nested, and its compilation. */
export type PhaseView = readonly [
  name: string,
  start: number,
  seconds: number,
  depth: number,
  compile_id: string,
  explanation: string,
];
export const PHASE = { name: 0, start: 1, seconds: 2, depth: 3, compile_id: 4, explanation: 5 } as const;

/**
 * All of the compile time by one thing, the costliest first.
 *
 * `others` are the seconds of rows that are left out, `rest` those that belong to none.
 */
export interface CostTable {
  readonly by: string;
  readonly rows: readonly CostRow[];
  readonly more: number;
  readonly others: number;
  readonly rest: number;
  readonly note: string;
}

/** What took time. `count` is of nodes, or of runs of a pass; `entity` is what to select. */
export type CostRow = readonly [
  name: string,
  seconds: number,
  share: number,
  tracing: number,
  lowering: number,
  code: number,
  building: number,
  count: number,
  entity: string,
];
export const COST_ROW = { name: 0, seconds: 1, share: 2, tracing: 3, lowering: 4, code: 5, building: 6, count: 7, entity: 8 } as const;

/** What a cache said of one graph, as a sentence; `where` is the line that it is about. */
export interface CacheView {
  readonly layer: string;
  readonly outcome: string;
  readonly compile_id: string;
  readonly sentence: string;
  readonly reason: string;
  readonly where: string;
  readonly entity: string;
}

/**
 * What compiling takes with full caches. `details` are sentences on what they gave.
 *
 * `is_measured`: else it is foretold. Empty where neither is known.
 */
export interface WarmStartView {
  readonly sentence: string;
  readonly is_measured: boolean;
  readonly details: readonly string[];
}

/**
 * What compiling did to the process's peak; `rows` are phases and the bytes in them alone.
 *
 * All is empty where the system does not say.
 */
export interface CompileMemoryView {
  readonly sentence: string;
  readonly rows: readonly (readonly [string, number, string])[];
  readonly note: string;
}

/**
 * The edges, in the form in which the front-end follows them.
 *
 * `stacks[i]` lists the (source, line) pairs of stack i, outermost first; a node's `stack` column
 * names it. `graph_links` are (upstream graph, downstream graph, pairs of node indices flattened
 * to [up, down, up, down, ...]). Kernels name their graph and nodes themselves.
 */
export interface LinksView {
  readonly stacks: readonly (readonly (readonly [number, number])[])[];
  readonly graph_links: readonly (readonly [number, number, readonly number[]])[];
}

/** A note of the recorder, with its details. */
export interface NoteView {
  readonly level: string;
  readonly about: string;
  readonly message: string;
  readonly details: string;
}

/**
 * The expressions of a recording, "expression:<index>", in the order of the text.
 *
 * A node is of an expression and of the calls that led there: `stacks` are indices in `shown`, the
 * outermost call first. `nodes` names a graph, and of each of its nodes the stack, -1 for none.
 */
export interface ExpressionsView {
  readonly shown: readonly ExpressionView[];
  readonly stacks: readonly (readonly number[])[];
  readonly nodes: readonly (readonly [number, readonly number[]])[];
}

/**
 * A part of a source: lines from 1, columns from 0 in characters, the end exclusive.
 *
 * `text` is all of it on one line.
 */
export type ExpressionView = readonly [
  source: number,
  line: number,
  column: number,
  end_line: number,
  end_column: number,
  text: string,
];

/** Every pass, in order. */
export interface PassesView {
  readonly pipelines: readonly PipelineView[];
  readonly passes: readonly PassView[];
  readonly patterns: readonly PatternView[];
}

/**
 * The passes over one graph in one phase: `passes` from `first` up to `end`.
 *
 * `graph` and `became` are the recorded graphs before and after, None if there is none. A change
 * is a rewrite, which is a pass that changed the graph (`did`), or one `between` passes; a pass
 * that `failed` is none.
 */
export interface PipelineView {
  readonly id: number;
  readonly title: string;
  readonly sentence: string;
  readonly summary: string;
  readonly seconds: number;
  readonly first: number;
  readonly end: number;
  readonly ran: number;
  readonly did: number;
  readonly between: number;
  readonly failed: number;
  readonly before: string;
  readonly after: string;
  readonly graph: number | null;
  readonly became: number | null;
  readonly error: string;
}

/**
 * A pass. `did` says whether it changed anything; counts are nodes.
 *
 * `state` is "did", "idle", "off" if it is disabled, or "failed". `alone` says in
 * sentences what was matched but left unchanged. `depth` counts the passes it ran inside. `costs`
 * are what it won, where that is known.
 */
export interface PassView {
  readonly id: number;
  readonly title: string;
  readonly name: string;
  readonly kind: string;
  readonly sentence: string;
  readonly state: string;
  readonly summary: string;
  readonly seconds: number;
  readonly pipeline: number;
  readonly depth: number;
  readonly body: string;
  readonly own: boolean;
  readonly place: string;
  readonly entity: string;
  readonly error: string;
  readonly removed: number;
  readonly added: number;
  readonly changed: number;
  readonly moved: number;
  readonly hunks: readonly Hunk[];
  readonly matches: readonly MatchView[];
  readonly alone: readonly string[];
  readonly costs: readonly PassCost[];
}

/** Lines that belong together, after `skipped` unchanged nodes. */
export interface Hunk {
  readonly body: string;
  readonly skipped: number;
  readonly lines: readonly DiffLine[];
}

/**
 * A node in a diff. `sign` is "-", "+" or " "; `note` is "moved", "changed" or empty.
 *
 * `entity` names the node in a recorded graph, if it is in one. `match` is the index of the
 * match that removed or added it, -1 for none.
 */
export type DiffLine = readonly [
  sign: string,
  name: string,
  op: string,
  target: string,
  arguments: string,
  value: string,
  entity: string,
  note: string,
  match: number,
];
export const DIFF_LINE = { sign: 0, name: 1, op: 2, target: 3, arguments: 4, value: 5, entity: 6, note: 7, match: 8 } as const;

/** One match of a pattern, as a separate diff. */
export interface MatchView {
  readonly pattern: number;
  readonly summary: string;
  readonly lines: readonly DiffLine[];
}

/**
 * A number of the graph before and after a pass, None where it is unknown.
 *
 * `text` is '14.8 kB → 7.2 kB', or one of them where both are alike. A time is the median of
 * rounds, in seconds, and where rounds vary by much its text has the quartiles in place of it.
 */
export interface PassCost {
  readonly name: string;
  readonly before: number | null;
  readonly after: number | null;
  readonly text: string;
}

/** The pattern searched for. `entity` is the user's line, if the pattern is their own. */
export interface PatternView {
  readonly name: string;
  readonly kind: string;
  readonly sentence: string;
  readonly place: string;
  readonly entity: string;
  readonly source: string;
  readonly replacement: string;
  readonly expression: string;
}

/**
 * The steps. Columns are base64 of 32-bit little-endian integers: see model/steps.py.
 *
 * `kinds` has the kinds of values in plain words.
 */
export interface StepsView {
  readonly takes: readonly TakeView[];
  readonly codes: readonly CodeView[];
  readonly calls: readonly Call[];
  readonly strings: readonly string[];
  readonly values: readonly Symbolic[];
  readonly kinds: Readonly<Record<string, string>>;
  readonly below: string;
  readonly held: string;
  readonly call: string;
  readonly instruction: string;
  readonly stack: string;
  readonly bound: string;
  readonly nodes: readonly NodeRow[];
  readonly guards: readonly AddedGuard[];
  readonly events: readonly EventRow[];
  readonly cut: string;
}

/** One attempt on a frame: its steps from `first` up to `end`, and how it ended. */
export interface TakeView {
  readonly title: string;
  readonly frame: number;
  readonly attempt: number;
  readonly first: number;
  readonly end: number;
  readonly outcome: string;
  readonly ending: string;
  readonly graph: number | null;
  readonly broke: number | null;
}

/** A code object; instructions are on lines of the source of this index. */
export interface CodeView {
  readonly name: string;
  readonly where: string;
  readonly source: number;
  readonly is_library: boolean;
  readonly instructions: readonly Instruction[];
}

/** One bytecode instruction; lines from 1, columns from 0 in characters, -1 if not known. */
export type Instruction = readonly [
  offset: number,
  opname: string,
  argument: string,
  line: number,
  column: number,
  end_line: number,
  end_column: number,
  is_jump_target: boolean,
];
export const INSTRUCTION = { offset: 0, opname: 1, argument: 2, line: 3, column: 4, end_line: 5, end_column: 6, is_jump_target: 7 } as const;

/**
 * One interpretation of a code object: a frame's own, or that of a function inlined into it.
 *
 * `step` is the step that made the call, -1 for the frame itself.
 */
export type Call = readonly [code: number, parent: number, step: number, depth: number];
export const CALL = { code: 0, parent: 1, step: 2, depth: 3 } as const;

/**
 * What Dynamo knows of a value.
 *
 * `kind` is its kind of variable ("TensorVariable"), `text` a description ("f32[8, 4]", "3"),
 * `source` where it comes from ("L['x']"), `node` the row of the node that makes it, -1 for none.
 */
export type Symbolic = readonly [kind: string, text: string, source: string, node: number];

/** A node as it was added, and its position in the graph `graph`; -1 if it was removed. */
export type NodeRow = readonly [added: AddedNode, graph: number, node: number];

/**
 * A node that a step put into the graph: its FX operation and what it calls.
 *
 * `depth` counts the bodies of higher-order operators around it; `removed` is the step that
 * removed it again, -1 for none.
 */
export type AddedNode = readonly [
  step: number,
  name: string,
  op: string,
  text: string,
  value: string,
  depth: number,
  removed: number,
];
export const ADDED_NODE = { step: 0, name: 1, op: 2, text: 3, value: 4, depth: 5, removed: 6 } as const;

/** A guard that a step made necessary; those from before the first step count to it. */
export type AddedGuard = readonly [step: number, kind: string, source: string];

/** What else a step did, in words, and the entity with more about it. */
export type EventRow = readonly [step: number, kind: string, text: string, entity: string];

/**
 * The story of the break of this id. Texts are plain; backquotes mark code.
 *
 * `cause` is the break in a called function that this one merely follows from; `because` says so;
 * `is_cause_yours` says that the cause is in your code, and so for you to mend; `consequences` are
 * the breaks that follow from this one. `repeats` is the break that a loop came back from.
 */
export interface StoryView {
  readonly id: number;
  readonly instruction: string;
  readonly values: readonly string[];
  readonly before: Side | null;
  readonly then: string;
  readonly after: readonly Side[];
  readonly cost: readonly string[];
  readonly cause: number | null;
  readonly because: string;
  readonly is_cause_yours: boolean;
  readonly consequences: readonly number[];
  readonly repeats: number | null;
}

/** One side of a break: a graph with its lines and size, else what ran instead. */
export interface Side {
  readonly graph: number | null;
  readonly title: string;
  readonly text: string;
}

/**
 * A region of the run, or a break between two; `depth` is how many calls and breaks deep.
 *
 * `graphs` are all graphs of a frame that was recompiled, first to last, and `size`
 * the operators and kernels of the last. `file` is that of `lines`, where it is neither the
 * main source nor that of the row above, and `line` the entity of the first of them. `entity` is
 * where a click leads.
 */
export interface MapRow {
  readonly depth: number;
  readonly kind: "break" | "compiled" | "compiling" | "eager" | "failed" | "resumed" | "skipped";
  readonly name: string;
  readonly lines: string;
  readonly line: string;
  readonly file: string;
  readonly graphs: readonly number[];
  readonly size: string;
  readonly text: string;
  readonly entity: string;
}

/**
 * One graph as AOTAutograd partitioned it. `joint`, `forward` and `backward` are graph ids.
 *
 * `lines` are by "module" where the reader has no line in the graph. `sentences` describe it
 * in plain words; `handled` are the mutations and views it took out of the graph or put back.
 * `activation_bytes` of `unpartitioned_bytes` are saved.
 */
export interface PartitionView {
  readonly id: number;
  readonly number: number;
  readonly title: string;
  readonly method: string;
  readonly joint: number | null;
  readonly forward: number | null;
  readonly backward: number | null;
  readonly budget: number;
  readonly sentences: readonly string[];
  readonly activation_bytes: number;
  readonly unpartitioned_bytes: number | null;
  readonly saved: readonly SavedRow[];
  readonly lines: readonly LineCost[];
  readonly recomputed: readonly RecomputedRow[];
  readonly pairs: readonly PairRow[];
  readonly handled: readonly string[];
  readonly by: "line" | "module";
}

/**
 * A value saved for the backward. `role` is that of the fact, or "copy".
 *
 * `bytes` counts only memory that would otherwise be freed, and shared memory once. `donated` says
 * whether the backward may overwrite it, None where that is not known.
 */
export interface SavedRow {
  readonly name: string;
  readonly operator: string;
  readonly value: string;
  readonly bytes: number;
  readonly size: string;
  readonly price: string;
  readonly why: string;
  readonly node: string;
  readonly backward: string;
  readonly where: string;
  readonly entity: string;
  readonly line: string;
  readonly module: string;
  readonly role: string;
  readonly donated: boolean | null;
}

/**
 * What one line, or module, saves for the backward: how many values, and their bytes.
 *
 * Memory that several values share counts where the first of them is saved: `size` is "shared"
 * where all of a line's are in memory that counts at another.
 */
export interface LineCost {
  readonly where: string;
  readonly entity: string;
  readonly line: string;
  readonly count: number;
  readonly bytes: number;
  readonly size: string;
}

/** An operator that the backward recomputes. `bytes` is what saving its result would take. */
export interface RecomputedRow {
  readonly name: string;
  readonly operator: string;
  readonly value: string;
  readonly bytes: number;
  readonly size: string;
  readonly price: string;
  readonly why: string;
  readonly node: string;
  readonly backward: string;
  readonly where: string;
  readonly entity: string;
  readonly line: string;
  readonly module: string;
  readonly is_free: boolean;
}

/** An operator and its gradient, both as node indices of the joint graph. */
export interface PairRow {
  readonly operator: string;
  readonly forward: readonly number[];
  readonly backward: readonly number[];
  readonly where: string;
  readonly entity: string;
  readonly line: string;
}

/**
 * One call. `node` and `line` are entities, the line empty if there is none.
 *
 * `origin` says who made the call, `became` what runs here and whether that is what the rules say.
 * `differs` is set where it is not. A call of `flex_attention` has no choices. `here` is the
 * target that the code is for, empty for a GPU that is here, of which the kind is not recorded;
 * `ran` is the kernel in it, empty where it is not known.
 */
export interface AttentionView {
  readonly node: string;
  readonly line: string;
  readonly where: string;
  readonly code: string;
  readonly module: string;
  readonly origin: string;
  readonly became: string;
  readonly here: string;
  readonly ran: string;
  readonly differs: boolean;
  readonly facts: readonly (readonly [string, string])[];
  readonly choices: readonly ChoiceView[];
}

/**
 * The choice on a target: `kernel` is its name, empty if it is not known or there is none.
 *
 * `operator` is the one that it runs as.
 */
export interface ChoiceView {
  readonly target: string;
  readonly kernel: string;
  readonly sentence: string;
  readonly operator: string;
  readonly verdicts: readonly KernelChoiceView[];
}

/** What becomes of a kernel. `check` is PyTorch's name of the condition that decided it. */
export interface KernelChoiceView {
  readonly name: string;
  readonly kernel: string;
  readonly state: "could" | "refused" | "runs" | "unknown";
  readonly told: string;
  readonly check: string;
  readonly remedy: string;
}

/**
 * Calls that are alike: of one kind of module, from one line, with one outcome.
 *
 * `line` is an entity, empty if there is none, `modules` their paths. `depth` is in how many of
 * the rows above they were made. `reason` are PyTorch's words, `remedy` says what to change.
 */
export interface FastPathView {
  readonly name: string;
  readonly count: number;
  readonly state: "broken" | "refused" | "taken";
  readonly told: string;
  readonly depth: number;
  readonly reason: string;
  readonly remedy: string;
  readonly modules: string;
  readonly line: string;
  readonly where: string;
  readonly code: string;
}

/**
 * A choice that was made without a word: what, why, and what came of it.
 *
 * `reason` says that it is not known where it is not, `effect` and `remedy` are empty then. `line`
 * is the entity of the reader's line, empty if there is none, `nodes` are those of the nodes.
 * `count` are choices that are alike in all of this, `tab` is the view that has the rest.
 */
export interface ChoiceRow {
  readonly kind: "attention" | "concatenation" | "fast path" | "freezing" | "layout" | "lists of tensors" | "precision" | "quantization";
  readonly choice: string;
  readonly reason: string;
  readonly effect: string;
  readonly remedy: string;
  readonly where: string;
  readonly line: string;
  readonly code: string;
  readonly nodes: readonly string[];
  readonly count: number;
  readonly tab: string;
}

/** The operators of a run. `sets` are (word, title); `empty` says why there are none. */
export interface DecompositionsView {
  readonly sets: readonly (readonly [string, string])[];
  readonly counts: readonly CountView[];
  readonly operators: readonly OperatorView[];
  readonly tops: readonly TopView[];
  readonly extern: readonly StayView[];
  readonly no_rule: readonly StayView[];
  readonly trees: TreesView;
  readonly empty: string;
}

/** How many operators there are at a level, and how many distinct ones. */
export interface CountView {
  readonly title: string;
  readonly operators: number;
  readonly kinds: number;
}

/** An operator of this program, with `tops` of any shapes: how often, how many in each set. */
export interface OperatorView {
  readonly operator: string;
  readonly times: number;
  readonly became: readonly number[];
  readonly rule: number;
  readonly tops: readonly number[];
}

/** A call of this program: `rule` fired in this run, -1 for none. `nodes` are (graph, node). */
export interface TopView {
  readonly call: number;
  readonly rule: number;
  readonly times: number;
  readonly where: string;
  readonly nodes: readonly (readonly [number, number])[];
}

/** An operator that remains outside the set, or that Inductor generates no code for. */
export interface StayView {
  readonly operator: string;
  readonly times: number;
  readonly why: string;
  readonly kernels: readonly number[];
}

/** The data of the trees: calls lead to steps, steps apply rules. All by position. */
export interface TreesView {
  readonly calls: readonly CallView[];
  readonly steps: readonly StepView[];
  readonly rules: readonly RuleView[];
}

/**
 * An operator on arguments of these shapes.
 *
 * For each set, `ways` has the step that is taken (-1 for none), why it remains, and what a rule
 * raised; `leaves` how many operators it becomes.
 */
export interface CallView {
  readonly operator: string;
  readonly arguments: string;
  readonly value: string;
  readonly ways: readonly (readonly [number, string, string])[];
  readonly leaves: readonly number[];
  readonly problem: string;
}

/** A rule applied once. `rows` are (call, name of the result, arguments by name). */
export interface StepView {
  readonly rule: number;
  readonly inputs: readonly string[];
  readonly rows: readonly (readonly [number, string, string])[];
  readonly returns: string;
}

/** A rule. `where` is "torch/_refs/__init__.py:3430", empty where it has no source. */
export interface RuleView {
  readonly kind: string;
  readonly name: string;
  readonly where: string;
  readonly text: string;
}

/**
 * All lowerings; `operators` counts the operators of all loop bodies, `empty` says why none.
 *
 * `cuda_trees` are the CUDA graphs of a run; `cuda_unknown` says why there are none, where the
 * program asks for them.
 */
export interface LoweringsView {
  readonly lowerings: readonly LoweringView[];
  readonly buffers: readonly BufferView[];
  readonly operators: readonly OperatorCount[];
  readonly called: readonly CalledView[];
  readonly cuda_trees: readonly CudaTreesView[];
  readonly cuda_unknown: string;
  readonly empty: string;
}

/** A graph's lowering. `counts` are the outcomes and how many operators had each. */
export interface LoweringView {
  readonly graph: number;
  readonly compiler: Compiler;
  readonly title: string;
  readonly summary: string;
  readonly counts: readonly (readonly [string, number])[];
  readonly steps: readonly LoweringStep[];
  readonly buffers: readonly number[];
  readonly cuda_graphs: CudaGraphsView | null;
  readonly autotunings: readonly AutotuningView[];
}

export type Compiler = "Inductor" | "lab";

/**
 * A node of the graph being lowered. `rule` and `place` are the function that lowered it.
 *
 * `made` are the ids of buffers created meanwhile, `ended` of those that compute it.
 */
export interface LoweringStep {
  readonly node: number;
  readonly name: string;
  readonly operator: string;
  readonly outcome: "constant" | "extern" | "failed" | "fallback" | "in place" | "inlined" | "input" | "nothing" | "output" | "part" | "realised" | "same" | "size" | "template" | "view";
  readonly sentence: string;
  readonly rule: string;
  readonly place: string;
  readonly made: readonly number[];
  readonly ended: readonly number[];
  readonly where: string;
  readonly entity: string;
}

/**
 * Whether CUDA graphs replay a graph. `where` is what keeps them from it, `entity` its line.
 *
 * `before` and `after` are what a call starts on the GPU without and with them, a CUDA graph
 * counting as one; the copies of inputs into its memory are not among it. 0 is not known.
 */
export interface CudaGraphsView {
  readonly use: Use;
  readonly sentence: string;
  readonly before: number;
  readonly after: number;
  readonly parts: readonly CudaPartView[];
  readonly where: string;
  readonly entity: string;
}

export type Use = "in parts" | "not used" | "used";

/** Calls that follow each other, and why they are not recorded, if they are not. */
export interface CudaPartView {
  readonly is_recorded: boolean;
  readonly calls: string;
  readonly reason: string;
  readonly where: string;
  readonly entity: string;
}

/** An operator that was autotuned: its candidates, the fastest first, and why one was taken. */
export interface AutotuningView {
  readonly title: string;
  readonly sentence: string;
  readonly candidates: readonly CandidateView[];
  readonly where: string;
  readonly entity: string;
}

/** A candidate. `time` and `ratio`, to the fastest, are empty if it was not timed. */
export interface CandidateView {
  readonly name: string;
  readonly kind: string;
  readonly description: string;
  readonly time: string;
  readonly ratio: string;
  readonly is_chosen: boolean;
}

/**
 * A buffer. `nodes` and `during` are nodes of `graph`; `reads` are names, `readers` ids.
 *
 * `loops` are pairs of a variable and its range.
 */
export interface BufferView {
  readonly id: number;
  readonly name: string;
  readonly graph: number;
  readonly kind: string;
  readonly form: string;
  readonly kernel: string;
  readonly during: number | null;
  readonly nodes: readonly number[];
  readonly why: string;
  readonly value: string;
  readonly size: string;
  readonly layout: string;
  readonly loops: readonly (readonly [string, string])[];
  readonly reduction: string;
  readonly reads: readonly string[];
  readonly readers: readonly number[];
  readonly body: readonly (readonly [string, string, number, number])[];
  readonly where: string;
  readonly dropped: boolean;
}

/** An operator of the loop IR: how often it occurs in loop bodies, and in how many buffers. */
export interface OperatorCount {
  readonly name: string;
  readonly count: number;
  readonly buffers: number;
  readonly text: string;
}

/** A kernel that is called instead of a generated loop, how often and why. `buffers` are ids. */
export interface CalledView {
  readonly kernel: string;
  readonly kind: string;
  readonly times: number;
  readonly why: string;
  readonly buffers: readonly number[];
}

/** The trees of one device, in the order of their recording, children after their parent. */
export interface CudaTreesView {
  readonly sentence: string;
  readonly nodes: readonly CudaNodeView[];
  readonly walks: readonly CudaWalkView[];
  readonly overwritten: readonly CudaOutputView[];
  readonly pool: PoolView | null;
}

/** A recorded CUDA graph as a row of its tree: `depth` says how far it is from the root. */
export interface CudaNodeView {
  readonly title: string;
  readonly depth: number;
  readonly of: string;
  readonly entity: string;
  readonly replays: string;
  readonly inputs: string;
  readonly memory: string;
  readonly why: string;
  readonly outputs: readonly CudaOutputView[];
}

/** An output of a recorded CUDA graph, where it lies, and the line that made it. */
export interface CudaOutputView {
  readonly text: string;
  readonly where: string;
  readonly entity: string;
}

/** What calls did one after the other, and how often they came so. */
export interface CudaWalkView {
  readonly text: string;
  readonly times: string;
}

/** A pool: how much it reserves, how much of that is handed out, and what lies where. */
export interface PoolView {
  readonly sentence: string;
  readonly segments: readonly PoolSegmentView[];
}

/** Memory that was taken from the device at once. */
export interface PoolSegmentView {
  readonly title: string;
  readonly blocks: readonly PoolBlockView[];
}

/** A block as a part of a bar: `start` and `width` are shares of its segment, from 0 to 1. */
export interface PoolBlockView {
  readonly state: BlockState;
  readonly start: number;
  readonly width: number;
  readonly size: string;
  readonly text: string;
  readonly where: string;
  readonly entity: string;
}

export type BlockState = "awaiting" | "free" | "live";

/** The graphs that the backend `lab` compiled; `empty` says why there are none. */
export interface CompilerView {
  readonly graphs: readonly StageGraph[];
  readonly empty: string;
}

/** The stages of one graph. */
export interface StageGraph {
  readonly graph: number;
  readonly title: string;
  readonly summary: string;
  readonly operators: readonly StageOperator[];
  readonly rules: readonly StageRule[];
  readonly loops: readonly StageLoop[];
  readonly kernels: readonly StageKernel[];
}

/**
 * An operator on its way: `rule`, `loops` and `kernels` are places in its graph's tables.
 *
 * `rule` is -1 where ATen computes it, or where its rule is not recorded. `line` is the text of
 * the reader's line, if it has one.
 */
export interface StageOperator {
  readonly node: number;
  readonly name: string;
  readonly operator: string;
  readonly outcome: "constant" | "extern" | "failed" | "fallback" | "in place" | "inlined" | "input" | "nothing" | "output" | "part" | "realised" | "same" | "size" | "template" | "view";
  readonly sentence: string;
  readonly where: string;
  readonly entity: string;
  readonly line: string;
  readonly rule: number;
  readonly loops: readonly number[];
  readonly kernels: readonly number[];
}

/** The closure that lowers an operator: its function, where it is, and its source. */
export interface StageRule {
  readonly name: string;
  readonly place: string;
  readonly text: string;
}

/** The loop of a buffer before it shares a kernel. `head` are the loops around its lines. */
export interface StageLoop {
  readonly buffer: string;
  readonly head: string;
  readonly lines: readonly (readonly [string, readonly number[]])[];
}

/**
 * A kernel: the buffers whose loops it joins, as loop IR, and in each language.
 *
 * `turns` are the loops that can be ordered, tiled and unrolled, the outermost first; `is_tuned`
 * where the reader did.
 */
export interface StageKernel {
  readonly id: number;
  readonly name: string;
  readonly buffers: readonly string[];
  readonly lines: readonly (readonly [string, readonly number[]])[];
  readonly texts: readonly StageText[];
  readonly turns: readonly StageTurns[];
  readonly is_tuned: boolean;
}

/** A kernel in a language; `note` says why there is none, or that it does not run here. */
export interface StageText {
  readonly language: string;
  readonly lines: readonly (readonly [string, readonly number[]])[];
  readonly note: string;
}

/** A loop of a kernel: its name, how often it turns, and its tile and unrolling, 0 for none. */
export interface StageTurns {
  readonly name: string;
  readonly size: string;
  readonly reduces: boolean;
  readonly tile: number;
  readonly unroll: number;
}

/** Every schedule; `unseen` says why a pair was never considered, by compiler and case. */
export interface FusionsView {
  readonly schedules: readonly ScheduleView[];
  readonly unseen: Readonly<Record<string, Readonly<Record<string, Advice>>>>;
}

/**
 * A schedule. `pairs` are groups, two per verdict, and `ruling` indexes `rulings`.
 *
 * `rounds` names each round of fusion; `start` are the groups before the first round.
 */
export interface ScheduleView {
  readonly graph: number;
  readonly compiler: Compiler;
  readonly number: number;
  readonly title: string;
  readonly sentences: readonly string[];
  readonly operations: readonly OperationView[];
  readonly groups: readonly GroupView[];
  readonly start: readonly number[];
  readonly rounds: readonly string[];
  readonly rulings: readonly RulingView[];
  readonly pairs: readonly number[];
  readonly ruling: readonly number[];
  readonly final: readonly PlaceView[];
  readonly left_out: number;
  readonly memory: readonly MemoryView[];
  readonly foreach: ForeachView | null;
}

/**
 * An operation of a schedule. `id` is unique over all schedules, `nodes` are of its graph.
 *
 * `title` says what it computes, `loops` over what; `place` is its final group, `uses` the
 * buffers and inputs that it reads or writes, `entity` the user's line.
 */
export interface OperationView {
  readonly id: number;
  readonly name: string;
  readonly buffers: readonly string[];
  readonly kind: string;
  readonly title: string;
  readonly loops: string;
  readonly nodes: readonly number[];
  readonly uses: readonly string[];
  readonly after: readonly number[];
  readonly weak: readonly number[];
  readonly place: number;
  readonly kernel: number | null;
  readonly call: string;
  readonly where: string;
  readonly entity: string;
}

/** Operations that were in one group at some time, as indices. */
export interface GroupView {
  readonly operations: readonly number[];
  readonly kind: string;
  readonly loops: string;
}

/**
 * The verdict on a pair: `why` says what prevented fusion and what would change it.
 *
 * `saves` is the memory traffic that fusing saves, `score` what pairs are sorted by; `reasons` are
 * PyTorch's words.
 */
export interface RulingView {
  readonly first_round: number;
  readonly round: number;
  readonly kind: string;
  readonly outcome: string;
  readonly saves: string;
  readonly score: string;
  readonly why: readonly Advice[];
  readonly reasons: readonly string[];
  readonly into: number | null;
}

/** A sentence on what stands in the way, and one on what would change it. */
export interface Advice {
  readonly why: string;
  readonly change: string;
}

/** A group of the finished schedule. `kernel` is its id, `name` the kernel's. */
export interface PlaceView {
  readonly group: number;
  readonly kernel: number | null;
  readonly name: string;
  readonly title: string;
}

/** The memory of one schedule. `kernel_internal` are buffers that fusion removed. */
export interface MemoryView {
  readonly sentences: readonly string[];
  readonly steps: readonly MemoryStep[];
  readonly peak: number;
  readonly peak_bytes: number;
  readonly lives: readonly LifeView[];
  readonly kernel_internal: readonly LifeView[];
}

/** A call, and what is allocated while it runs. `operations` are ids. */
export interface MemoryStep {
  readonly name: string;
  readonly kernel: number | null;
  readonly operations: readonly number[];
  readonly bytes: number;
  readonly size: string;
}

/**
 * The lifetime of a buffer: it holds memory from step `start` to `end`, counted from 0.
 *
 * `last_read` is the last step that reads it, -1 for none. `source` names the buffer whose memory
 * it took over or shares. `operation` is the id of what computes it, -1 for inputs.
 */
export interface LifeView {
  readonly name: string;
  readonly role: string;
  readonly value: string;
  readonly bytes: number;
  readonly size: string;
  readonly start: number;
  readonly end: number;
  readonly last_read: number;
  readonly operation: number;
  readonly source: string;
  readonly note: string;
}

/**
 * What a schedule did with its lists: in words, and each two that were considered.
 *
 * `where` is the line of the first list, `entity` names it.
 */
export interface ForeachView {
  readonly sentences: readonly string[];
  readonly pairs: readonly ListsView[];
  readonly where: string;
  readonly entity: string;
}

/** Two lists that were considered; `left` counts the indices that are not shown. */
export interface ListsView {
  readonly one: string;
  readonly other: string;
  readonly state: "fused" | "not asked" | "possible" | "refused";
  readonly sentence: string;
  readonly indices: readonly IndexView[];
  readonly left: number;
}

/** One index of two lists: what the second reads of the first, and what came of it. */
export interface IndexView {
  readonly index: number;
  readonly one: string;
  readonly other: string;
  readonly reads: string;
  readonly state: "fused" | "not asked" | "possible" | "refused";
  readonly why: string;
  readonly where: string;
  readonly entity: string;
}

/**
 * A model in a package. `facts` are labels and values; `inlined` are not stored in it.
 *
 * `origin`, the last of the sentences, says what captured the model, and what is missing.
 */
export interface PackageView {
  readonly title: string;
  readonly model: string;
  readonly sentences: readonly string[];
  readonly origin: string;
  readonly facts: readonly (readonly [string, string])[];
  readonly constants: readonly ConstantView[];
  readonly inlined: readonly ConstantView[];
  readonly files: readonly FileView[];
  readonly wrapper: number | null;
}

/** A constant, or an inlined parameter; `entity` is the node that represents it. */
export interface ConstantView {
  readonly name: string;
  readonly value: string;
  readonly role: string;
  readonly size: string;
  readonly entity: string;
}

/** A file in a package. */
export interface FileView {
  readonly path: string;
  readonly what: string;
  readonly size: string;
}

/**
 * A benchmark. `doubts` concern the whole: what makes all of its times less certain.
 *
 * `changes` says what differs between the calls that were timed.
 */
export interface BenchView {
  readonly title: string;
  readonly state: string;
  readonly created: string;
  readonly verdicts: readonly VerdictView[];
  readonly ways: readonly WayView[];
  readonly sections: readonly SectionView[];
  readonly agreements: readonly AgreementView[];
  readonly kernels: KernelTimesView;
  readonly roofline: RooflineView | null;
  readonly memory: MemoryCoursesView | null;
  readonly doubts: readonly string[];
  readonly machine: readonly (readonly [string, string])[];
  readonly changes: string;
}

/** What can be said of a variant in one sentence; `way` is its position, -1 for all of them. */
export interface VerdictView {
  readonly way: number;
  readonly sentence: string;
  readonly tone: Tone;
}

/** A variant of the program, and its settings; `code` is set for a hand-written one. */
export interface WayView {
  readonly name: string;
  readonly kind: string;
  readonly options: string;
  readonly code: string;
  readonly language: string;
}

/** Variants that were timed in turns: a phase, with warm or cold caches. */
export interface SectionView {
  readonly phase: Phase;
  readonly cache: Cache;
  readonly title: string;
  readonly rows: readonly TimeView[];
}

export type Phase = "forward" | "step";

export type Cache = "cold" | "warm";

/**
 * The times of a variant: raw (`seconds`, a call each round), and in words.
 *
 * `factor` is how many times faster than the first variant, empty for that itself; `interval`
 * bounds it, with a confidence of 95 %, or 99.9 % where two are indistinguishable. `low`,
 * `median` and `high` are the quartiles. `pays_off` says after how many calls compiling has paid
 * off.
 */
export interface TimeView {
  readonly way: number;
  readonly name: string;
  readonly seconds: readonly number[];
  readonly warmup: readonly number[];
  readonly low: number;
  readonly median: number;
  readonly high: number;
  readonly time: string;
  readonly quartiles: string;
  readonly rounds: string;
  readonly factor: string;
  readonly interval: string;
  readonly tone: Tone;
  readonly compile: string;
  readonly pays_off: string;
  readonly memory: string;
  readonly doubts: readonly string[];
}

/**
 * What a variant computes in one phase against eager: in a sentence, and tensor by tensor.
 *
 * `verdict` is that of the worst tensor; `left` counts the tensors without a row.
 */
export interface AgreementView {
  readonly way: number;
  readonly name: string;
  readonly phase: Phase;
  readonly verdict: Verdict;
  readonly sentence: string;
  readonly rows: readonly ComparedView[];
  readonly left: number;
}

export type Verdict = "close" | "equal" | "not compared" | "wrong";

/** One tensor. `is_closer` is set where it lies closer to float64 than eager's does. */
export interface ComparedView {
  readonly value: string;
  readonly verdict: Verdict;
  readonly ulp: string;
  readonly relative: string;
  readonly absolute: string;
  readonly error: string;
  readonly eager_error: string;
  readonly tolerance: string;
  readonly reason: string;
  readonly is_closer: boolean;
}

/**
 * Programs kernel by kernel, and the times to show in other views.
 *
 * `kernels` are (id, text), the longest first; `nodes` (graph, node, seconds, text) of the kernel
 * that computes a node, or of eager's operator; `lines` (source, line, text, explanation).
 */
export interface KernelTimesView {
  readonly programs: readonly ProgramView[];
  readonly kernels: readonly (readonly [number, string])[];
  readonly nodes: readonly (readonly [number, number, number, string])[];
  readonly lines: readonly (readonly [number, number, string, string])[];
}

/**
 * The kernels of one variant in one phase; `remainder` says how far `parts` add up.
 *
 * `adds_up` is whether they do; `remarks` say what other times of the same call differ, and why.
 */
export interface ProgramView {
  readonly way: number;
  readonly phase: Phase;
  readonly title: string;
  readonly groups: readonly KernelGroupView[];
  readonly whole: string;
  readonly parts: readonly SumPart[];
  readonly remainder: string;
  readonly problem: string;
  readonly adds_up: boolean;
  readonly remarks: readonly string[];
  readonly slowest: SlowestView | null;
}

/**
 * Kernels beside the eager operators that they replaced.
 *
 * `share` is the part of a whole call that the kernels take, `launch` what launching them takes.
 * `line` is the first of the user's lines that they come from, as an entity.
 */
export interface KernelGroupView {
  readonly title: string;
  readonly operators: string;
  readonly kernels: readonly TimedKernelView[];
  readonly eager: readonly TimedOperatorView[];
  readonly cold: AgainstEager;
  readonly warm: AgainstEager;
  readonly share: string;
  readonly launch: string;
  readonly where: string;
  readonly line: string;
  readonly why: string;
}

/** A kernel of a group: `id` is the recording's. */
export interface TimedKernelView {
  readonly id: number;
  readonly title: string;
  readonly language: string;
  readonly calls: number;
  readonly time: string;
  readonly problem: string;
}

/** An eager operator that a group replaced; `entity` is its node, if that is known. */
export interface TimedOperatorView {
  readonly name: string;
  readonly entity: string;
  readonly calls: number;
  readonly arguments: string;
  readonly time: string;
  readonly problem: string;
}

/**
 * A group with cold or with warm caches: seconds of its kernels, and of eager's operators.
 *
 * `factor` says how many times faster the kernels are, `interval` bounds it with a confidence of
 * 95 %; `outcome` is empty where one side has no time, or one that is not eager's, or too few
 * rounds; `gain` says what a call gains or loses by it. `rank` is the place in the list: what
 * loses most comes first, then what gains most.
 */
export interface AgainstEager {
  readonly kernels: number | null;
  readonly eager: number | null;
  readonly kernels_text: string;
  readonly eager_text: string;
  readonly factor: string;
  readonly interval: string;
  readonly outcome: "" | "alike" | "faster" | "slower";
  readonly gain: string;
  readonly rank: number;
}

/** A part of a whole call. */
export interface SumPart {
  readonly name: string;
  readonly seconds: number;
  readonly text: string;
  readonly share: string;
}

/**
 * The kernel with the most time in a warm call; several where times do not tell them apart.
 *
 * The sentence has no end: the kernels follow.
 */
export interface SlowestView {
  readonly sentence: string;
  readonly kernels: readonly SlowestKernel[];
}

/** A kernel by its recording's id; `line` is the first of the user's lines that it serves. */
export interface SlowestKernel {
  readonly id: number;
  readonly title: string;
  readonly where: string;
  readonly line: string;
}

/**
 * All kernels against the limits of one machine, those that take longest in a call first.
 *
 * `bandwidth` is in bytes a second. `x` and `y` are the powers of ten between which the plot's
 * axes run: operations a byte, and operations a second.
 */
export interface RooflineView {
  readonly device: string;
  readonly bandwidth: number;
  readonly bandwidth_text: string;
  readonly measured: string;
  readonly roofs: readonly RoofView[];
  readonly programs: readonly string[];
  readonly points: readonly PointView[];
  readonly x: readonly [number, number];
  readonly y: readonly [number, number];
  readonly sentences: readonly string[];
}

/** The machine's peak rate in a type; `ridge` is the intensity from which on it binds. */
export interface RoofView {
  readonly dtype: string;
  readonly flops: number;
  readonly text: string;
  readonly ridge: number;
}

/**
 * A kernel at one call site of a program. `program` is a position in `RooflineView.programs`.
 *
 * `seconds` are those of one call, `cache` is the state of the caches. `intensity` is in
 * operations a byte and `rate` in operations a second: None where the plot has no place for it,
 * as it computes nothing or its work is not known. `share` is of the binding limit, None where
 * it is not meaningful: `sentence` says why. `is_cached` says that its data may not have come from
 * memory, whose limit then tells nothing. The rest are the numbers in words; `limit` is the time
 * that a call would take at the limit.
 */
export interface PointView {
  readonly kernel: number;
  readonly name: string;
  readonly program: number;
  readonly calls: number;
  readonly seconds: number;
  readonly cache: Cache;
  readonly intensity: number | null;
  readonly rate: number | null;
  readonly dtype: string;
  readonly bound: Bound;
  readonly share: number | null;
  readonly is_small: boolean;
  readonly is_cached: boolean;
  readonly percent: string;
  readonly time: string;
  readonly limit: string;
  readonly work: string;
  readonly reached: string;
  readonly sentence: string;
}

export type Bound = "" | "arithmetic" | "memory";

/** All courses with one axis each way: `most` is the largest peak. `sentence` compares them. */
export interface MemoryCoursesView {
  readonly phase: Phase;
  readonly sentence: string;
  readonly most: number;
  readonly courses: readonly CourseView[];
}

/** The memory of a variant's call: pairs of share of its duration, and bytes. */
export interface CourseView {
  readonly way: number;
  readonly name: string;
  readonly points: readonly (readonly [number, number])[];
  readonly peak: string;
  readonly peak_bytes: number;
  readonly holders: readonly HolderView[];
}

/** What holds a part of a peak; `entity` is the line that called the operator, if known. */
export interface HolderView {
  readonly operator: string;
  readonly size: string;
  readonly share: string;
  readonly where: string;
  readonly entity: string;
}

/** The answer to "why is it wrong". `entity` names the line or the kernel, if known. */
export interface BisectionView {
  readonly verdict: string;
  readonly title: string;
  readonly sentence: string;
  readonly because: string;
  readonly where: string;
  readonly line: string;
  readonly entity: string;
  readonly culprits: readonly CulpritView[];
  readonly notes: readonly string[];
  readonly trials: readonly TrialView[];
  readonly cost: string;
}

/** One part, from the coarsest to the finest: `detail` is its function and where that is. */
export interface CulpritView {
  readonly kind: string;
  readonly name: string;
  readonly detail: string;
  readonly text: string;
}

/** One compilation and what came of it. */
export interface TrialView {
  readonly what: string;
  readonly backend: string;
  readonly outcome: string;
  readonly time: string;
  readonly fault: string;
}

/** One artifact: `note` says what is left out of its text here, or what is wrong with it. */
export interface ArtifactView {
  readonly title: string;
  readonly compile_id: string;
  readonly size: string;
  readonly text: string;
  readonly note: string;
}

/** The messages in the order they were written, and the logs that they are of. */
export interface LogsView {
  readonly records: readonly LogView[];
  readonly kinds: readonly LogKindView[];
  readonly left: string;
}

/**
 * A message, and where the same is shown.
 *
 * `view` is the section, `shown` what of it and `entity` its name there; all are empty where this
 * recording has nothing of it but the text. `where` and `line` are the line of the program that
 * the message names, in words and as an entity.
 */
export interface LogView {
  readonly name: string;
  readonly level: string;
  readonly compile_id: string;
  readonly place: string;
  readonly text: string;
  readonly note: string;
  readonly where: string;
  readonly line: string;
  readonly view: string;
  readonly shown: string;
  readonly entity: string;
}

/** A log by its name: how many messages it has, how many of them are tied to a view. */
export interface LogKindView {
  readonly name: string;
  readonly count: number;
  readonly tied: number;
  readonly view: string;
  readonly shows: string;
  readonly lacks: string;
}

/** How to read the view of this name. */
export interface Reading {
  readonly view: string;
  readonly sentence: string;
  readonly paragraph: string;
}

/**
 * The findings, the costliest first. `more` counts those beyond the most that are shown.
 *
 * `clean` is the one line to show instead where there is none.
 */
export interface FindingsView {
  readonly found: readonly Finding[];
  readonly more: number;
  readonly clean: string;
}

/**
 * One conclusion. `code` is what the reader would write: a setting, or a diff.
 *
 * `entity` is the line ("line:<source>:<number>"). `cost` is the share, from 0 to 1, of what the
 * question is about (time of compiling, of a call, memory) that the remedy is about; a failure
 * costs all of it. A "note" is worth knowing and needs no change. `grade_text` and `gain_text` say
 * grade and gain in words, `edit` what changes in the reader's text, `code_place` where the code
 * goes if that is not the line: a rule leaves them empty.
 */
export interface Finding {
  readonly id: number;
  readonly rule: string;
  readonly question: Question;
  readonly level: "note" | "problem";
  readonly sentence: string;
  readonly where: string;
  readonly entity: string;
  readonly evidence: readonly Evidence[];
  readonly grade: Grade;
  readonly remedy: string;
  readonly code: string;
  readonly gain: Gain | null;
  readonly cost: number;
  readonly can_apply: boolean;
  readonly grade_text: string;
  readonly gain_text: string;
  readonly edit: SourceEdit | null;
  readonly code_place: string;
}

export type Question = "breaks" | "compile_time" | "export" | "memory" | "numbers" | "recompilations" | "speed";

/** A fact that a finding rests on: `tab` shows it, with `entity` ("break:0") selected there. */
export interface Evidence {
  readonly text: string;
  readonly tab: string;
  readonly entity: string;
}

export type Grade = "fill in" | "may change meaning" | "none" | "safe";

/** What a remedy is foretold to change, and how that is known: measured, replayed, counted. */
export interface Gain {
  readonly metric: Metric;
  readonly before: number;
  readonly after: number;
  readonly how: string;
}

export type Metric = 
  | "breaks"
  | "bytes"
  | "graphs"
  | "kernel calls"
  | "recompilations"
  | "seconds a call"
  | "seconds of compiling";

/**
 * The change of one source, a cell or a file, in order of its lines. `name` is its label.
 *
 * `is_above` is said of lines for a new cell above that one, where they cannot stand in it.
 */
export interface SourceEdit {
  readonly source: number;
  readonly name: string;
  readonly is_cell: boolean;
  readonly parts: readonly EditedLines[];
  readonly is_above: boolean;
}

/** Lines that give way to others. `line` is the first that goes, else where they come in. */
export interface EditedLines {
  readonly line: number;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/**
 * The rows, outer before inner; `roots` are positions in them. None without modules.
 *
 * `sentences` say what the numbers are of, and what belongs to no row.
 */
export interface ModulesView {
  readonly rows: readonly ModuleRow[];
  readonly roots: readonly number[];
  readonly sentences: readonly string[];
  readonly empty: string;
}

/**
 * A module of the reader's, or `alike` neighbours as one; a root is a function.
 *
 * `children` are positions in `ModulesView.rows`; of a row for several, they are these. `path` is
 * PyTorch's, `type` the class, empty where it is not known. `entity` are its nodes. `line` is the
 * line in the module around it from which all of them are reached, `where` is it in words.
 *
 * `operators` are those that Dynamo captured. Kernels are counted by their calls: `calls` compute
 * nothing of other modules, `shared` were fused with some. So it is with the seconds of a call
 * and the bytes that are moved at least: the first adds up from row to row, the second belongs to
 * several rows. None is unknown. `heat` and `shared_heat` are parts of all that was timed.
 * `kernels` are those of `calls` that no module within has alone, `fused` those of `shared`.
 * `differences` are sentences on blocks of several that are not like most; those that are have
 * their positions among `children` in `usual`.
 */
export interface ModuleRow {
  readonly depth: number;
  readonly name: string;
  readonly path: string;
  readonly type: string;
  readonly children: readonly number[];
  readonly alike: number;
  readonly entity: string;
  readonly line: string;
  readonly where: string;
  readonly operators: number;
  readonly calls: number;
  readonly shared: number;
  readonly seconds: number | null;
  readonly shared_seconds: number;
  readonly heat: number;
  readonly shared_heat: number;
  readonly time: string;
  readonly bytes: number | null;
  readonly bytes_text: string;
  readonly flops: number | null;
  readonly flops_text: string;
  readonly compile: number | null;
  readonly compile_text: string;
  readonly breaks: number;
  readonly kernels: readonly number[];
  readonly fused: readonly number[];
  readonly differences: readonly string[];
  readonly usual: readonly number[];
}

/** A planned training step, and plans of other updates that a page can show without a kernel. */
export interface TrainingView {
  readonly plan: TrainingPlanView;
  readonly choices: readonly TrainingChoice[];
}

/**
 * One plan. `peak` is the step during which most lies in memory, `limit` in bytes or None.
 *
 * `headline` and `counts` are what the summary line says of it, `answers` what comes next.
 */
export interface TrainingPlanView {
  readonly headline: string;
  readonly counts: readonly Count[];
  readonly answers: readonly TrainingAnswer[];
  readonly sentences: readonly string[];
  readonly bytes: number;
  readonly size: string;
  readonly limit: number | null;
  readonly limit_text: string;
  readonly bars: readonly TrainingBar[];
  readonly steps: readonly TrainingStep[];
  readonly peak: number;
  readonly lives: readonly TrainingLife[];
  readonly parameters: readonly TrainingParameter[];
}

/** What is told of, in a word, and the facts. */
export interface TrainingAnswer {
  readonly name: string;
  readonly facts: readonly Evidence[];
}

/** The most memory that a way to train needs; `parts` are the bytes of each of `KINDS`. */
export interface TrainingBar {
  readonly name: string;
  readonly bytes: number;
  readonly size: string;
  readonly parts: readonly number[];
  readonly told: string;
}

/** An operation, and what lies in memory while it runs: `parts` as of a bar. */
export interface TrainingStep {
  readonly name: string;
  readonly phase: string;
  readonly bytes: number;
  readonly size: string;
  readonly parts: readonly number[];
  readonly entity: string;
}

/**
 * A value: it takes memory from step `start` to `end`, counted from 0.
 *
 * `kind` is one of `KINDS`. `offset` is its place in the arena, -1 for what lies beside it.
 * `place` names the module and the line that it comes from, as far as they are known.
 */
export interface TrainingLife {
  readonly name: string;
  readonly kind: string;
  readonly bytes: number;
  readonly size: string;
  readonly start: number;
  readonly end: number;
  readonly offset: number;
  readonly place: string;
  readonly entity: string;
}

/**
 * A parameter that can be updated; `updated` is the share of it that is.
 *
 * `channels` are the input channels that can be chosen from, 0 if all of it is or nothing.
 */
export interface TrainingParameter {
  readonly name: string;
  readonly module: string;
  readonly elements: number;
  readonly channels: number;
  readonly updated: number;
  readonly entity: string;
}

/** A plan made ahead of time: the last `layers` and a `share` of their weights' channels. */
export interface TrainingChoice {
  readonly layers: number;
  readonly share: number;
  readonly plan: TrainingPlanView;
}

/**
 * The views under their labels, and what each pair has in common.
 *
 * `ranks` is set where they are ranks of one job.
 */
export interface SideBySideView {
  readonly labels: readonly string[];
  readonly views: readonly View[];
  readonly pairs: readonly PairView[];
  readonly lines: readonly LineRow[];
  readonly ranks: RanksView | null;
}

/**
 * Two recordings, by their labels; `facts` are what changed from `a` to `b`, in words.
 *
 * `compilers` is set where two compilers made them.
 */
export interface PairView {
  readonly a: string;
  readonly b: string;
  readonly facts: readonly string[];
  readonly works: readonly WorkView[];
  readonly compilers: CompilersView | null;
}

/**
 * Kernels of two recordings that do the same work: see `alignment.Work`.
 *
 * `edits` is the diff of their code, where both have code in one language: of the lines of all
 * kernels of a side, concatenated.
 */
export interface WorkView {
  readonly a: readonly number[];
  readonly b: readonly number[];
  readonly inside: readonly number[];
  readonly title: string;
  readonly where: string;
  readonly sentence: string;
  readonly same: boolean;
  readonly edits: readonly Edit[];
}

/**
 * A run of lines, from 0, the end exclusive.
 *
 * "=" is in both, "~" is changed, "-" and "+" are in one alone.
 */
export type Edit = readonly [sign: Sign, a: number, a_end: number, b: number, b_end: number];

export type Sign = "+" | "-" | "=" | "~";

/** Two compilers of one program, and what each did that the other did not. */
export interface CompilersView {
  readonly a: string;
  readonly b: string;
  readonly deeds: readonly DeedView[];
}

/** One thing that the compilers did differently, in words for each; "-" is nothing of it. */
export interface DeedView {
  readonly topic: string;
  readonly what: string;
  readonly a: string;
  readonly b: string;
}

/** A line of the user's, and for each recording the titles of the kernels it led to. */
export interface LineRow {
  readonly where: string;
  readonly text: string;
  readonly kernels: readonly (readonly string[])[];
}

/**
 * `sentence` is the verdict, `findings` are the differences, the most serious first.
 *
 * `remarks` are about the logs themselves: ranks that are missing, processes that restarted.
 * `rows` have a label and a cell for each column of `head`; `apart` are the labels of those that
 * differ from most. `is_whole` is false where not all could be compared. `collectives` are those
 * that ran, where they were recorded; `splits` are what DDP made of the first rank's graphs, and
 * `ddp` what it reduces.
 * With a `plan` nothing ran, and the rows are of the ranks that were planned.
 */
export interface RanksView {
  readonly sentence: string;
  readonly findings: readonly string[];
  readonly remarks: readonly string[];
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly apart: readonly string[];
  readonly is_whole: boolean;
  readonly collectives: CollectivesView | null;
  readonly splits: readonly SplitView[];
  readonly ddp: DdpView | null;
  readonly messages: MessagesView | null;
  readonly plan: PlanView | null;
  readonly meshes: readonly MeshView[];
  readonly tensors: readonly TensorView[];
  readonly memory: RankMemoryView | null;
}

/**
 * `bars` are, for each rank, when it compiled, and when it computed where that was measured.
 *
 * `steady` is when no rank compiled any more, 0 where collectives ran only before that.
 */
export interface CollectivesView {
  readonly labels: readonly string[];
  readonly head: readonly string[];
  readonly seconds: number;
  readonly steady: number;
  readonly meetings: readonly MeetingView[];
  readonly alike: readonly AlikeView[];
  readonly totals: readonly TotalView[];
  readonly bars: readonly (readonly Bar[])[];
  readonly sentences: readonly string[];
}

/**
 * A collective, and the ranks that came to it.
 *
 * `operator` is what was called, `ran_as` the backend's own call where it is another one. `shape`
 * and `bytes` are of what a rank brings, `result_bytes` of what it gets: the most of any rank
 * where not all bring (`brings_vary`), or get (`results_vary`), as much, and None where they are
 * not known. `node` is the node of a graph, empty where none is known. `ranks` are places in
 * `CollectivesView.labels`; `came` is when each handed it over, and `ran` from when to when it
 * ran, where that was measured. `lines` and `nodes` are the entities of the user's line and of the
 * node in each rank's own recording, one alone where all are the same; what is told in words is of
 * the rank `told`. `waited` is the time between the first that came and the last, which is `late`;
 * None where one rank came alone, or where the clocks of its hosts may differ: then `late` says
 * nothing. `bare` are the most seconds that a rank computed nothing while it ran, None where that
 * was not measured. `absent` never came. `settings` are names of `DdpView.settings`, of a bucket
 * that they would change.
 */
export interface MeetingView {
  readonly operator: string;
  readonly ran_as: string;
  readonly number: number;
  readonly group: string;
  readonly shape: string;
  readonly bytes: number | null;
  readonly result_bytes: number | null;
  readonly why: string;
  readonly node: string;
  readonly where: string;
  readonly text: string;
  readonly ranks: readonly number[];
  readonly came: readonly number[];
  readonly ran: readonly (readonly [number, number] | null)[];
  readonly lines: readonly string[];
  readonly nodes: readonly string[];
  readonly waited: number | null;
  readonly bare: number | null;
  readonly late: number;
  readonly absent: readonly number[];
  readonly is_done: boolean;
  readonly told: number;
  readonly settings: readonly string[];
  readonly brings_vary: boolean;
  readonly results_vary: boolean;
}

/**
 * Collectives that are the same but for when they ran, as those of each step of a training.
 *
 * `meetings` are places in `CollectivesView.meetings`. `cells` are in the columns of `HEAD`: how
 * long they ran is the sum of the longest run on any rank of each.
 */
export interface AlikeView {
  readonly meetings: readonly number[];
  readonly cells: readonly string[];
}

/**
 * A rank's numbers; times in seconds, None where nobody measured them.
 *
 * `waited` is how long its collectives stood open until the last rank came, as far as one clock
 * tells. `communicating` is how long any of them ran since `CollectivesView.steady`; of that,
 * `exposed` is when the rank did not compute. `tied` is how many have a line of the user's.
 */
export interface TotalView {
  readonly label: string;
  readonly collectives: number;
  readonly bytes: number | null;
  readonly waited: number;
  readonly communicating: number | null;
  readonly exposed: number | null;
  readonly tied: number;
}

/** A time in a rank's lane; `share` is how much of it was spent so, where bars were joined. */
export type Bar = readonly [
  kind: "compiling" | "computing",
  start: number,
  end: number,
  text: string,
  share: number,
];

/** How a captured graph was split: `buckets` in the order in which the backward fills them. */
export interface SplitView {
  readonly title: string;
  readonly sentence: string;
  readonly head: readonly string[];
  readonly buckets: readonly BucketView[];
}

/** `cells` are in the columns of `HEAD`; `parameters` are their names as in code. */
export interface BucketView {
  readonly cells: readonly string[];
  readonly parameters: readonly string[];
}

/**
 * The modules of the first rank that are under DDP, and what can be tried with all of them.
 *
 * `can_try` is whether the job still has its program, and a kernel that shows it can try.
 */
export interface DdpView {
  readonly reducers: readonly ReducerView[];
  readonly settings: readonly SettingView[];
  readonly can_try: boolean;
}

/**
 * A module under DDP: `line` is the entity of the line that wrapped it, `where` its words.
 *
 * `settings` are names of `DdpView.settings` that would change each of its buckets.
 */
export interface ReducerView {
  readonly sentence: string;
  readonly where: string;
  readonly text: string;
  readonly line: string;
  readonly head: readonly string[];
  readonly buckets: readonly ReducedView[];
  readonly settings: readonly string[];
}

/**
 * A bucket: `cells` are in the columns of `HEAD`; `parameters` are all names, if known.
 *
 * `settings` are names of `DdpView.settings` that would change it and not every other one.
 */
export interface ReducedView {
  readonly cells: readonly string[];
  readonly parameters: readonly string[];
  readonly settings: readonly string[];
}

/** A setting to try: `code` is what to write, `call` has a living job try it. */
export interface SettingView {
  readonly name: string;
  readonly sentence: string;
  readonly code: string;
  readonly call: string;
}

/**
 * Of `rows` each is messages of a rank that are alike.
 *
 * With whom is in the message where the backend says it: "send 0->1".
 */
export interface MessagesView {
  readonly sentence: string;
  readonly head: readonly string[];
  readonly rows: readonly MessageView[];
}

/** `cells` are in the columns of `HEAD`; `line` is an entity of the recording of `rank`. */
export interface MessageView {
  readonly cells: readonly string[];
  readonly rank: string;
  readonly line: string;
}

/**
 * `sentence` says that nothing ran, `remarks` what is taken for granted, and is not known.
 *
 * `facts` are what it says, in short: the meshes, what a rank would call, what it would hold.
 */
export interface PlanView {
  readonly sentence: string;
  readonly facts: readonly string[];
  readonly remarks: readonly string[];
  readonly kinds_head: readonly string[];
  readonly head: readonly string[];
  readonly kinds: readonly KindView[];
}

/**
 * A kind of ranks: `cells` are in the columns of `KINDS`.
 *
 * `rows` are the collectives that its representative would call. Their entities are those of its
 * own recording, whose label is `label`.
 */
export interface KindView {
  readonly label: string;
  readonly cells: readonly string[];
  readonly rows: readonly PlannedView[];
}

/**
 * Collectives that are alike: `cells` are in the columns of `HEAD`.
 *
 * `line` is the entity of the line that asks for them, `node` the node's words, which end the last
 * cell, and `node_entity` its entity: empty where that is not known.
 */
export interface PlannedView {
  readonly cells: readonly string[];
  readonly line: string;
  readonly node: string;
  readonly node_entity: string;
}

/**
 * `ranks` are in the mesh's order, the last dimension across, the others down.
 *
 * `short` is how a program makes it, `long` makes the same groups without a mesh.
 */
export interface MeshView {
  readonly title: string;
  readonly sentence: string;
  readonly shape: readonly number[];
  readonly ranks: readonly number[];
  readonly dimensions: readonly DimensionView[];
  readonly short: string;
  readonly long: string;
}

/** A dimension of a mesh: `groups` are the ranks that communicate along it. */
export interface DimensionView {
  readonly name: string;
  readonly size: number;
  readonly groups: readonly (readonly number[])[];
}

/**
 * `cells` are in the columns of `HEAD`. `blocks` are none where they are not known: `remark`.
 *
 * `empty` are the ranks that hold nothing of it.
 */
export interface TensorView {
  readonly name: string;
  readonly kind: string;
  readonly cells: readonly string[];
  readonly blocks: readonly BlockView[];
  readonly empty: readonly number[];
  readonly remark: string;
}

/**
 * A block of a tensor and the ranks that hold it.
 *
 * `x`, `y`, `width` and `height` are shares of the whole: columns are the last dimension, rows the
 * one before it. A block that begins later in another dimension lies behind others: `is_behind`.
 */
export interface BlockView {
  readonly ranks: readonly number[];
  readonly label: string;
  readonly sizes: readonly number[];
  readonly offset: readonly number[];
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly is_behind: boolean;
}

/**
 * `rows` have a label and a cell for each column of `head`, the last row what it takes whole.
 *
 * `bytes` are the numbers of the rows, None where nothing was seen of it.
 */
export interface RankMemoryView {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly bytes: readonly (readonly (number | null)[])[];
  readonly sentences: readonly string[];
}

/** How far a run or a compile is; without a stage nothing has begun. */
export interface Progress {
  readonly active?: boolean;
  readonly detail?: string;
  readonly fraction?: number | null;
  readonly seconds?: number;
  readonly stage?: string;
}

/** An answer, with the number of its question. */
export interface AnswerMessage {
  readonly answer?: unknown;
  readonly error?: string;
  readonly request: number;
  readonly type: "answer";
}

/** What came of a run, with the number of its request; the new view comes beside the message. */
export interface RanMessage {
  readonly error?: string;
  readonly label?: string;
  readonly outcome?: unknown;
  readonly pairs?: readonly PairView[];
  readonly request: number;
  readonly type: "ran";
}

/** The way of `entity`; a station without a stop says why. */
export interface JourneyView {
  readonly entity: string;
  readonly stations: readonly Station[];
}

/** A level of the compiler. `missing` says why nothing stands there. */
export interface Station {
  readonly name: StationName;
  readonly title: string;
  readonly stops: readonly JourneyStop[];
  readonly missing: string;
}

export type StationName = 
  | "aten"
  | "captured"
  | "code"
  | "decomposed"
  | "fused"
  | "instructions"
  | "kernel"
  | "time";

/** One thing on the way: the entity that it is, and the view that shows it. */
export interface JourneyStop {
  readonly entity: string;
  readonly text: string;
  readonly tab: string;
  readonly is_backward: boolean;
}

/** The answer to "would this input pass?": for each compilation, and what a call would do. */
export interface WouldPass {
  readonly frame: number;
  readonly name: string;
  readonly sentence: string;
  readonly reuses: string | null;
  readonly checks: readonly CheckView[];
}

/**
 * One compilation: whether the call passes its guards, else the first that it fails.
 *
 * `source` is the value that the guard checks, as the guards view names it.
 */
export interface CheckView {
  readonly compile_id: string;
  readonly passes: boolean;
  readonly text: string;
  readonly where: string;
  readonly entity: string;
  readonly source: string;
}

/** What the partitioner would do with one graph under each budget, the largest first. */
export interface Budgets {
  readonly title: string;
  readonly rows: readonly BudgetRow[];
  readonly headings: readonly string[];
}

/**
 * One budget: how much it saves, how many operators are recomputed, and their arithmetic.
 *
 * `values` is what `saved` counts, as "41 + 20": computed values, then parameters and inputs
 * with views of them.
 * `flops` counts only matrix products, convolutions and attention; those of `uncounted` more
 * operators are not known, and `arithmetic` says so.
 */
export interface BudgetRow {
  readonly budget: number;
  readonly activation_bytes: number;
  readonly size: string;
  readonly saved: number;
  readonly operators: number;
  readonly flops: number;
  readonly arithmetic: string;
  readonly is_used: boolean;
  readonly uncounted: number;
  readonly values: string;
}

/** The current target, all targets by name and title, and the switches relevant to it. */
export interface Panel {
  readonly target: string;
  readonly targets: readonly (readonly [string, string])[];
  readonly switches: readonly SwitchState[];
}

/** A switch with the values to choose from, and the current one. */
export interface SwitchState {
  readonly name: string;
  readonly key: string;
  readonly topic: string;
  readonly sentence: string;
  readonly values: readonly (boolean | number | string | null)[];
  readonly value: boolean | number | string | null;
  readonly is_count: boolean;
}

/**
 * One edit. `edits` are the lines of `before` and `after` that differ.
 *
 * `worst` names the element with the largest error, where it computes something else.
 */
export interface EditView {
  readonly kernel: number;
  readonly name: string;
  readonly verdict: EditVerdict;
  readonly sentence: string;
  readonly before: string;
  readonly after: string;
  readonly edits: readonly Edit[];
  readonly diagnostics: readonly Diagnostic[];
  readonly worst: string;
  readonly compared: string;
  readonly timings: readonly TimingView[];
}

export type EditVerdict = "failed" | "not built" | "right" | "unknown" | "wrong";

/**
 * A compiler's message, at a line and column of the edited text, both from 1.
 *
 * `line` is None if it is about no line of the text, such as a missing symbol.
 */
export interface Diagnostic {
  readonly severity: "error" | "note" | "warning";
  readonly message: string;
  readonly line: number | null;
  readonly column: number | null;
}

/** The original's time beside the edit's; `tone` is "good" where the edit is faster. */
export interface TimingView {
  readonly what: string;
  readonly original: string;
  readonly edited: string;
  readonly ratio: string;
  readonly tone: string;
}

/**
 * One change. `changes` are those that count now, the first one first.
 *
 * `counts` are a name, how many before, and how many after; `fusion` are the groups that came or
 * went, with a sign before each. `graph` are the stages and `schedule` the verdicts of fusion as
 * they are now; None where nothing changed. `tone` is "good" where a call became faster.
 */
export interface ChangeView {
  readonly verdict: ChangeVerdict;
  readonly sentence: string;
  readonly changes: readonly string[];
  readonly graph: StageGraph | null;
  readonly schedule: ScheduleView | null;
  readonly counts: readonly (readonly [string, number, number])[];
  readonly fusion: readonly string[];
  readonly texts: readonly ChangedText[];
  readonly time: string;
  readonly tone: string;
}

export type ChangeVerdict = "refused" | "right" | "undone";

/** A kernel's text before and after; empty where there is none. `edits` are what differs. */
export interface ChangedText {
  readonly kernel: string;
  readonly before: string;
  readonly after: string;
  readonly edits: readonly Edit[];
}

/** A cell by JupyterLab's id, its text as it ran, and how many lines stand above line 1. */
export interface RanCell {
  readonly cell: string;
  readonly ran: string;
  readonly above: number;
}

/**
 * The text as it was recorded, and how it can be lowered.
 *
 * `targets` are names and titles. `target`, `backend` and `dynamic` are those of the recording,
 * and so are `inputs`. `reading` says what runs and what does not. `source` is the recorded source
 * that the text is from, which has `above` more lines above it; None where it is from none.
 */
export interface PlaygroundView {
  readonly text: string;
  readonly name: string;
  readonly target: string;
  readonly targets: readonly (readonly [string, string])[];
  readonly backend: string;
  readonly dynamic: boolean | null;
  readonly mode: string | null;
  readonly inputs: string;
  readonly reading: string;
  readonly source: number | null;
  readonly above: number;
}

/**
 * What became of a text.
 *
 * `source` is the source in the kernels' `origins` that the text is, None if nothing in it is one.
 * `idle` are the lines of statements that neither run nor are lowered. `edit` is what changes in
 * the reader's cell or file, None where the text is as it was or that is not known.
 */
export interface DraftView {
  readonly kernels: KernelsView;
  readonly diagnostics: readonly Diagnostic[];
  readonly has_failed: boolean;
  readonly facts: string;
  readonly source: number | null;
  readonly idle: readonly number[];
  readonly edit: SourceEdit | null;
}

/** A page of all that is shown, as a file. */
export interface DraftPage {
  readonly name: string;
  readonly html: string;
}

/** What came of a fix. `counts` are a name, how many before, and how many after. */
export interface TrialOutcome {
  readonly counts: readonly (readonly [string, number, number])[];
  readonly failure: string;
  readonly fix: string;
  readonly new_breaks: readonly string[];
  readonly numbers: string;
  readonly same: boolean | null;
}

/**
 * What came of a setting of DDP that a job was tried with: sentences, and whether to write it.
 *
 * `is_faster` is None where no difference can be told.
 */
export interface JobTrialOutcome {
  readonly fix: string;
  readonly is_faster: boolean | null;
  readonly sentences: readonly string[];
}

/** What came of applying findings. `rows` are a metric, how much before, and how much after. */
export interface AppliedOutcome {
  readonly failure: string;
  readonly new_breaks: readonly string[];
  readonly numbers: string;
  readonly rows: readonly (readonly [string, string, string])[];
  readonly same: boolean | null;
  readonly sentence: string;
  readonly verdict: "helped" | "hurt" | "no difference" | "not known";
}

/** What came of lowering again: how it failed, empty if it did not. */
export interface LoweredOutcome {
  readonly failure: string;
}

/** What came of measuring or of a search: the benchmark's state, or the verdict. */
export interface MeasuredOutcome {
  readonly state: string;
}

export type Stop = "step" | "over" | "out" | "break" | "node" | "guard" | "attempt";

/** What answers a question, by its name. */
export interface Answers {
  readonly would_pass: WouldPass;
  readonly repartition: Budgets;
  readonly switches: Panel;
  readonly assembly: AssemblyView;
  readonly edit_kernel: EditView;
  readonly recompile: ChangeView;
  readonly replan: View;
  readonly cell: RanCell;
  readonly playground: PlaygroundView;
  readonly draft: DraftView;
  readonly draft_assembly: AssemblyView;
  readonly draft_page: DraftPage;
}

/** What comes of a run, by the name of what is done. */
export interface Outcomes {
  readonly try_fix: TrialOutcome;
  readonly try_on_job: JobTrialOutcome;
  readonly apply: AppliedOutcome;
  readonly relower: LoweredOutcome;
  readonly beside: LoweredOutcome;
  readonly bench: MeasuredOutcome;
  readonly bisect: MeasuredOutcome;
  readonly time_kernels: MeasuredOutcome;
  readonly warm_start: MeasuredOutcome;
  readonly time_guards: MeasuredOutcome;
}
