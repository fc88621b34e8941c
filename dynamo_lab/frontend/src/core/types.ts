// The View as JSON: a mirror of dynamo_lab/view/*.py, where each field is explained.

export type LineState = "" | "compiled" | "eager" | "skipped" | "failed" | "compiling";

/** number, text, state, region, kernels */
export type LineView = readonly [number, string, LineState, number, number];

export interface Mark {
  readonly kind: "break" | "failure" | "specialised";
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

/** sign ("=", "~", "-" or "+"), lines of a and b that it stands for, from 0, ends exclusive */
export type Edit = readonly [sign: string, a: number, aEnd: number, b: number, bEnd: number];

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

export interface PairView {
  readonly a: string;
  readonly b: string;
  readonly facts: readonly string[];
  readonly works: readonly WorkView[];
}

/** Several recordings of one program. */
export interface SeveralView {
  readonly labels: readonly string[];
  readonly views: readonly View[];
  readonly pairs: readonly PairView[];
  readonly ranks: RanksView | null;
}

/** Ranks of one job: where they part, and a row for each. */
export interface RanksView {
  readonly sentence: string;
  readonly findings: readonly string[];
  readonly remarks: readonly string[];
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export type SwitchValue = boolean | number | string | null;

export interface SwitchState {
  readonly name: string;
  readonly key: string;
  readonly topic: string;
  readonly sentence: string;
  readonly values: readonly SwitchValue[];
  readonly value: SwitchValue;
  readonly is_count: boolean;
}

/** The kernel's answer to how the switches stand. */
export interface Panel {
  readonly target: string;
  /** name, title */
  readonly targets: readonly (readonly [string, string])[];
  readonly switches: readonly SwitchState[];
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

/** What lies on one side of a break: a graph, or what ran instead. */
export interface Side {
  readonly graph: number | null;
  readonly title: string;
  readonly text: string;
}

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
  readonly consequences: readonly number[];
}

export interface MapRow {
  readonly depth: number;
  readonly kind: "compiling" | "compiled" | "resumed" | "eager" | "skipped" | "failed" | "break";
  readonly name: string;
  readonly lines: string;
  readonly file: string;
  readonly graphs: readonly number[];
  readonly size: string;
  readonly text: string;
  readonly entity: string;
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
  readonly parent_node: number | null;
  readonly bytes: readonly (number | null)[];
  readonly layouts: readonly string[];
  readonly kinds: Readonly<Record<string, readonly number[]>>;
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

export interface Remedy {
  readonly text: string;
  readonly code: string;
}

export interface CauseView {
  readonly text: string;
  readonly earlier: readonly string[];
  readonly check: string;
  readonly where: string;
  readonly entity: string;
  readonly remedies: readonly Remedy[];
}

export interface ChangesView {
  readonly against: string;
  readonly symbols: readonly string[];
  /** A sign ("-" gone, "+" new, "~" produces something else) and a text. */
  readonly graph: readonly (readonly [string, string])[];
  readonly left: number;
  readonly summary: string;
  readonly kernels: string;
}

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

export interface GuardsView {
  readonly guards: readonly GuardView[];
  readonly recompiles: readonly RecompileView[];
}

export interface FactView {
  readonly event: string;
  readonly text: string;
  readonly expression: string;
  readonly where: string;
  readonly entity: string;
  readonly line: string;
}

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

export interface ShapesView {
  readonly symbols: readonly SymbolView[];
  readonly others: readonly FactView[];
}

export interface CheckView {
  readonly compile_id: string;
  readonly passes: boolean;
  readonly text: string;
  readonly where: string;
  readonly entity: string;
  readonly source: string;
}

/** The kernel's answer to "would this input pass?". */
export interface WouldPass {
  readonly frame: number;
  readonly name: string;
  readonly sentence: string;
  readonly reuses: string | null;
  readonly checks: readonly CheckView[];
}

/** A line of a kernel's code that computes, the graph's nodes it is there for, and how that is known. */
export type StatementView = readonly [line: number, nodes: readonly number[], origin: "emitted" | "serves" | "unknown"];

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
  readonly statements: readonly StatementView[];
  /** The reader's line of a statement: line of the code, source, line in it. */
  readonly origins: readonly (readonly [line: number, source: number, number: number])[];
  readonly coverage: string;
}

export interface LevelView {
  readonly name: string;
  readonly text: string;
  /** Flat: line of the text, line of the kernel, and so on, from 1. */
  readonly lines: readonly number[];
}

/** A kernel assembled for one target. */
export interface AssemblyView {
  readonly kernel: number;
  readonly target: string;
  readonly levels: readonly LevelView[];
  readonly resources: readonly string[];
  readonly chosen: string;
}

export interface DiagnosticView {
  readonly severity: "error" | "warning" | "note";
  readonly message: string;
  /** Of the edited text, from 1. */
  readonly line: number | null;
  readonly column: number | null;
}

export interface EditTiming {
  readonly what: string;
  readonly original: string;
  readonly edited: string;
  readonly ratio: string;
  readonly tone: "" | "good" | "bad";
}

/** What became of an edit of a kernel. */
export interface EditView {
  readonly kernel: number;
  readonly name: string;
  readonly verdict: "not built" | "failed" | "wrong" | "unknown" | "right";
  readonly sentence: string;
  readonly before: string;
  readonly after: string;
  readonly edits: readonly Edit[];
  readonly diagnostics: readonly DiagnosticView[];
  readonly worst: string;
  readonly compared: string;
  readonly timings: readonly EditTiming[];
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
  readonly assemblies: readonly AssemblyView[];
  /** The targets that Triton kernels can be assembled for. */
  readonly gpus: readonly string[];
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
  readonly target: string;
}

/** name, start, seconds, depth, compile id, explanation */
export type PhaseView = readonly [string, number, number, number, string, string];

export interface TimelineView {
  readonly seconds: number;
  readonly phases: readonly PhaseView[];
  readonly totals: readonly (readonly [string, number, number])[];
  readonly parallel: readonly (readonly [string, number])[];
}

/** offset, opname, argument, line, column, end_line, end_column, is_jump_target */
export type Instruction = readonly [number, string, string, number, number, number, number, boolean];

/** kind, text, source, row of the node that makes it */
export type Symbolic = readonly [string, string, string, number];

/** step, name, op, text, value, depth, removed */
export type AddedNode = readonly [number, string, string, string, string, number, number];

/** what was added, and where it is in which graph; -1 where it did not stay */
export type NodeRow = readonly [AddedNode, number, number];

/** step, kind, source */
export type AddedGuard = readonly [number, string, string];

/** step, kind, text, entity */
export type EventRow = readonly [number, string, string, string];

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

export interface CodeView {
  readonly name: string;
  readonly where: string;
  readonly source: number;
  readonly is_library: boolean;
  readonly instructions: readonly Instruction[];
}

/** The film; its columns are base64 of 32-bit integers. */
export interface StepsView {
  readonly takes: readonly TakeView[];
  readonly codes: readonly CodeView[];
  /** code, parent, step, depth */
  readonly calls: readonly (readonly [number, number, number, number])[];
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

/** A value that is kept, or would be; entities of its two nodes and of its line. */
export interface KeptRow {
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
}

export interface SavedRow extends KeptRow {
  readonly role: string;
}

export interface RecomputedRow extends KeptRow {
  readonly is_free: boolean;
}

export interface LineCost {
  readonly where: string;
  readonly entity: string;
  readonly line: string;
  readonly count: number;
  readonly bytes: number;
  readonly size: string;
}

export interface PairRow {
  readonly operator: string;
  readonly forward: readonly number[];
  readonly backward: readonly number[];
  readonly where: string;
  readonly entity: string;
  readonly line: string;
}

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
}

/** The kernel's answer to what other memory budgets would keep. */
export interface Budgets {
  readonly title: string;
  readonly rows: readonly {
    readonly budget: number;
    readonly activation_bytes: number;
    readonly size: string;
    readonly saved: number;
    readonly operators: number;
    readonly flops: number;
    readonly arithmetic: string;
    readonly is_used: boolean;
  }[];
}

export interface NoteView {
  readonly level: string;
  readonly about: string;
  readonly message: string;
  readonly details: string;
}

/** sign ("-", "+" or " "), name, op, target, arguments, value, entity, note, match */
export type DiffLine = readonly [string, string, string, string, string, string, string, string, number];

export interface Hunk {
  readonly body: string;
  readonly skipped: number;
  readonly lines: readonly DiffLine[];
}

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

export interface MatchView {
  readonly pattern: number;
  readonly summary: string;
  readonly lines: readonly DiffLine[];
}

export interface PassView {
  readonly id: number;
  readonly title: string;
  readonly name: string;
  readonly kind: "pass" | "step" | "between";
  readonly sentence: string;
  readonly state: "did" | "idle" | "off" | "failed";
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
}

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
  readonly before: string;
  readonly after: string;
  readonly graph: number | null;
  readonly became: number | null;
  readonly error: string;
}

export interface PassesView {
  readonly pipelines: readonly PipelineView[];
  readonly passes: readonly PassView[];
  readonly patterns: readonly PatternView[];
}

/** step (-1 for none), why the call stays, what its rule raised */
export type Way = readonly [number, string, string];

/** call, name of its result, arguments by name */
export type CallRow = readonly [number, string, string];

export interface RuleView {
  readonly kind: string;
  readonly name: string;
  readonly where: string;
  readonly text: string;
}

export interface CallView {
  readonly operator: string;
  readonly arguments: string;
  readonly value: string;
  readonly ways: readonly Way[];
  readonly leaves: readonly number[];
  readonly problem: string;
}

export interface StepView {
  readonly rule: number;
  readonly inputs: readonly string[];
  readonly rows: readonly CallRow[];
  readonly returns: string;
}

export interface TreesView {
  readonly calls: readonly CallView[];
  readonly steps: readonly StepView[];
  readonly rules: readonly RuleView[];
}

export interface TopView {
  readonly call: number;
  readonly rule: number;
  readonly times: number;
  readonly where: string;
  readonly nodes: readonly (readonly [number, number])[];
}

export interface OperatorView {
  readonly operator: string;
  readonly times: number;
  readonly became: readonly number[];
  readonly rule: number;
  readonly tops: readonly number[];
}

export interface StayView {
  readonly operator: string;
  readonly times: number;
  readonly why: string;
  readonly kernels: readonly number[];
}

export interface DecompositionsView {
  /** word, title */
  readonly sets: readonly (readonly [string, string])[];
  readonly counts: readonly { readonly title: string; readonly operators: number; readonly kinds: number }[];
  readonly operators: readonly OperatorView[];
  readonly tops: readonly TopView[];
  readonly extern: readonly StayView[];
  readonly no_rule: readonly StayView[];
  readonly trees: TreesView;
  readonly empty: string;
}

/** A line of a loop body: text, operator, node (-1 for none), depth */
export type LineRow = readonly [string, string, number, number];

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
  readonly loops: readonly (readonly [variable: string, size: string])[];
  readonly reduction: string;
  readonly reads: readonly string[];
  readonly readers: readonly number[];
  readonly body: readonly LineRow[];
  readonly where: string;
  readonly dropped: boolean;
}

export interface LoweringStep {
  readonly node: number;
  readonly name: string;
  readonly operator: string;
  readonly outcome: string;
  readonly sentence: string;
  readonly rule: string;
  readonly place: string;
  readonly made: readonly number[];
  readonly ended: readonly number[];
  readonly where: string;
  readonly entity: string;
}

export interface LoweringView {
  readonly graph: number;
  readonly title: string;
  readonly summary: string;
  readonly counts: readonly (readonly [outcome: string, count: number])[];
  readonly steps: readonly LoweringStep[];
  readonly buffers: readonly number[];
}

export interface CalledView {
  readonly kernel: string;
  readonly kind: string;
  readonly times: number;
  readonly why: string;
  readonly buffers: readonly number[];
}

export interface LoweringsView {
  readonly lowerings: readonly LoweringView[];
  readonly buffers: readonly BufferView[];
  readonly operators: readonly { readonly name: string; readonly count: number; readonly buffers: number; readonly text: string }[];
  readonly called: readonly CalledView[];
  readonly empty: string;
}

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

export interface GroupView {
  readonly operations: readonly number[];
  readonly kind: string;
  readonly loops: string;
}

/** Why not, and what would change it. */
export interface AdviceView {
  readonly why: string;
  readonly change: string;
}

export interface RulingView {
  readonly first_round: number;
  readonly round: number;
  readonly kind: string;
  readonly outcome: "fused" | "possible" | "refused";
  readonly saves: string;
  readonly score: string;
  readonly why: readonly AdviceView[];
  readonly reasons: readonly string[];
  readonly into: number | null;
}

export interface PlaceView {
  readonly group: number;
  readonly kernel: number | null;
  readonly name: string;
  readonly title: string;
}

export interface StepOfMemory {
  readonly name: string;
  readonly kernel: number | null;
  readonly operations: readonly number[];
  readonly bytes: number;
  readonly size: string;
}

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

export interface MemoryView {
  readonly sentences: readonly string[];
  readonly steps: readonly StepOfMemory[];
  readonly peak: number;
  readonly peak_bytes: number;
  readonly lives: readonly LifeView[];
  readonly kernel_internal: readonly LifeView[];
}

/** What the machine computes at most in a type; from `ridge` operations a byte on, this binds. */
export interface RoofView {
  readonly dtype: string;
  readonly flops: number;
  readonly text: string;
  readonly ridge: number;
}

/** A kernel of `programs[program]`; `intensity` and `rate` are null where the plot has no place. */
export interface RooflinePoint {
  readonly kernel: number;
  readonly name: string;
  readonly program: number;
  readonly calls: number;
  readonly seconds: number;
  readonly cache: "warm" | "cold";
  readonly intensity: number | null;
  readonly rate: number | null;
  readonly dtype: string;
  readonly bound: "memory" | "arithmetic" | "";
  readonly share: number | null;
  readonly is_small: boolean;
  readonly percent: string;
  readonly time: string;
  readonly limit: string;
  readonly work: string;
  readonly reached: string;
  readonly sentence: string;
}

/** Kernels against the limits of one machine; `x` and `y` are powers of ten. */
export interface RooflineView {
  readonly device: string;
  readonly bandwidth: number;
  readonly bandwidth_text: string;
  readonly measured: string;
  readonly roofs: readonly RoofView[];
  readonly programs: readonly string[];
  readonly points: readonly RooflinePoint[];
  readonly x: readonly [number, number];
  readonly y: readonly [number, number];
  readonly sentences: readonly string[];
}

export interface ScheduleView {
  readonly graph: number;
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
}

export interface FusionsView {
  readonly schedules: readonly ScheduleView[];
  readonly unseen: Readonly<Record<string, AdviceView>>;
}

/** A constant of a package, or a parameter that is none. */
export interface PackagedConstant {
  readonly name: string;
  readonly value: string;
  readonly role: string;
  readonly size: string;
  readonly entity: string;
}

export interface PackageView {
  readonly title: string;
  readonly model: string;
  readonly sentences: readonly string[];
  readonly origin: string;
  readonly facts: readonly (readonly [string, string])[];
  readonly constants: readonly PackagedConstant[];
  readonly inlined: readonly PackagedConstant[];
  readonly files: readonly { readonly path: string; readonly what: string; readonly size: string }[];
  readonly wrapper: number | null;
}

export type BenchTone = "good" | "bad" | "warning" | "plain";

/** The times of a way, one of `seconds` each round; `factor` is how many times faster than the first. */
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
  readonly tone: BenchTone;
  readonly compile: string;
  readonly pays_off: string;
  readonly memory: string;
  readonly doubts: readonly string[];
}

export interface ComparedView {
  readonly value: string;
  readonly verdict: string;
  readonly ulp: string;
  readonly relative: string;
  readonly error: string;
  readonly eager_error: string;
  readonly tolerance: string;
  readonly reason: string;
  readonly is_closer: boolean;
}

export interface AgreementView {
  readonly name: string;
  readonly phase: string;
  readonly verdict: string;
  readonly sentence: string;
  readonly rows: readonly ComparedView[];
  readonly left: number;
}

/** A group of kernels against eager's operators, with cold or with warm caches; in the order of `rank`. */
export interface KernelsAgainstEager {
  readonly kernels: number | null;
  readonly eager: number | null;
  readonly kernels_text: string;
  readonly eager_text: string;
  readonly factor: string;
  readonly interval: string;
  readonly outcome: "faster" | "slower" | "alike" | "";
  readonly gain: string;
  readonly rank: number;
}

export interface TimedKernel {
  readonly id: number;
  readonly title: string;
  readonly language: string;
  readonly calls: number;
  readonly time: string;
  readonly problem: string;
}

export interface TimedOperator {
  readonly name: string;
  readonly entity: string;
  readonly calls: number;
  readonly arguments: string;
  readonly time: string;
  readonly problem: string;
}

export interface BenchGroup {
  readonly title: string;
  readonly operators: string;
  readonly kernels: readonly TimedKernel[];
  readonly eager: readonly TimedOperator[];
  readonly cold: KernelsAgainstEager;
  readonly warm: KernelsAgainstEager;
  readonly share: string;
  readonly launch: string;
  readonly where: string;
  readonly line: string;
  readonly why: string;
}

export interface BenchProgram {
  readonly title: string;
  readonly groups: readonly BenchGroup[];
  readonly whole: string;
  readonly parts: readonly { readonly name: string; readonly seconds: number; readonly text: string; readonly share: string }[];
  readonly remainder: string;
  readonly problem: string;
}

export interface KernelTimesView {
  readonly programs: readonly BenchProgram[];
  /** id, text */
  readonly kernels: readonly (readonly [number, string])[];
  /** graph, node, seconds, text */
  readonly nodes: readonly (readonly [number, number, number, string])[];
  /** source, line, text, explanation */
  readonly lines: readonly (readonly [number, number, string, string])[];
}

export interface WayView {
  readonly name: string;
  readonly kind: string;
  readonly options: string;
  /** The source of one that was written by hand. */
  readonly code: string;
  readonly language: string;
}

export interface BenchView {
  readonly title: string;
  readonly state: string;
  readonly created: string;
  readonly verdicts: readonly { readonly way: number; readonly sentence: string; readonly tone: BenchTone }[];
  readonly ways: readonly WayView[];
  readonly sections: readonly { readonly title: string; readonly rows: readonly TimeView[] }[];
  readonly agreements: readonly AgreementView[];
  readonly kernels: KernelTimesView;
  readonly roofline: RooflineView | null;
  readonly doubts: readonly string[];
  readonly machine: readonly (readonly [string, string])[];
}

/** How to read a view: prose, and examples where lines are indented. */
export interface Reading {
  readonly view: string;
  readonly sentence: string;
  readonly paragraph: string;
}

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
  readonly passes: PassesView;
  readonly steps: StepsView | null;
  readonly stories: readonly StoryView[];
  readonly run_map: readonly MapRow[];
  readonly partitions: readonly PartitionView[];
  readonly decompositions: DecompositionsView;
  readonly lowering: LoweringsView;
  readonly fusions: FusionsView;
  readonly packages: readonly PackageView[];
  readonly bench: BenchView | null;
  readonly artifacts: readonly ArtifactView[];
  readonly readings: readonly Reading[];
}

/** A text of a trace log; `note` says what is left out of it here. */
export interface ArtifactView {
  readonly title: string;
  readonly compile_id: string;
  readonly size: string;
  readonly text: string;
  readonly note: string;
}

export interface Progress {
  readonly active: boolean;
  readonly stage: string;
  readonly detail: string;
  readonly fraction: number | null;
  readonly seconds: number;
}
