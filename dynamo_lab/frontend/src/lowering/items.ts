// The lowering as rows of a list, and the steps from one operator to the next.
import { nodeEntity, parseEntity } from "../core/entities";
import { kept } from "../core/model";
import { matches } from "../core/search";
import type { BufferView, LoweringStep, LoweringsView, LoweringView } from "../core/types.generated";

export type StepItem =
  | { readonly lowering: LoweringView }
  | { readonly step: LoweringStep; readonly graph: number };

export type BufferItem = { readonly lowering: LoweringView } | { readonly buffer: BufferView };

/** Each graph, followed by its buffers. */
export function bufferItems(view: LoweringsView): BufferItem[] {
  return view.lowerings.flatMap((lowering): BufferItem[] => [{ lowering }, ...lowering.buffers.map((id) => ({ buffer: view.buffers[id] }))]);
}

export const LOWERING_MODES = ["operators", "buffers", "overview"] as const;
export type LoweringMode = (typeof LOWERING_MODES)[number];

/** Rows that say nothing of how code comes about: what goes in and out. */
const QUIET: ReadonlySet<string> = new Set(["input", "output", "constant"]);

/** Each graph, followed by its operators in the order in which they were lowered. */
export const stepItems = kept((view: LoweringsView): readonly StepItem[] =>
  view.lowerings.flatMap((lowering): StepItem[] => [
    { lowering },
    ...lowering.steps.filter((step) => !QUIET.has(step.outcome)).map((step) => ({ step, graph: lowering.graph })),
  ]));

/** How many operators the list has, of all graphs. */
export const operatorCount = kept((view: LoweringsView): number =>
  view.lowerings.reduce((count, { steps }) => count + steps.filter((step) => !QUIET.has(step.outcome)).length, 0));

/** How many operators there are up to each row: the last is all of them. */
export const countedSteps = kept((items: readonly StepItem[]): Uint32Array => {
  const counted = new Uint32Array(items.length);
  items.forEach((item, i) => (counted[i] = (counted[i - 1] ?? 0) + Number("step" in item)));
  return counted;
});

export const plain = (text: string): string => text.replace(/`/g, "");

/** What is searched of each row. */
const searched = kept((view: LoweringsView): readonly string[] =>
  stepItems(view).map((item) => ("step" in item ? `${item.step.name} ${item.step.operator} ${item.step.outcome} ${plain(item.step.sentence)}`.toLowerCase() : "")));

/** The rows that hold every word of a query: in a name, an outcome or a reason. */
export function foundItems(view: LoweringsView, query: string): readonly StepItem[] {
  const items = stepItems(view);
  return (query ? matches(searched(view), query)?.map((i) => items[i]) : null) ?? items;
}

export const itemEntity = (item: StepItem | undefined): string => (item && "step" in item ? nodeEntity(item.graph, item.step.node) : "");

/** Where the operator of an entity stands, -1 where it has no row. */
export function placeOf(items: readonly StepItem[], entity: string): number {
  const of = parseEntity(entity);
  return of?.kind === "node" ? items.findIndex((item) => "step" in item && item.step.node === of.b && item.graph === of.a) : -1;
}

/** The operator to show: the chosen one, else the first that came to a loop or a kernel. */
export function shownStep(items: readonly StepItem[], entity: string): number {
  const chosen = placeOf(items, entity);
  if (chosen >= 0) return chosen;
  const computed = items.findIndex((item) => "step" in item && item.step.ended.length > 0);
  return computed >= 0 ? computed : items.findIndex((item) => "step" in item);
}

/** The next operator, around the end. */
export function nextStep(items: readonly StepItem[], from: number, by: 1 | -1): number {
  for (let i = 1; i <= items.length; i++) {
    const at = (from + by * i + items.length * 2) % items.length;
    if ("step" in items[at]) return at;
  }
  return from;
}

/** The buffers to show of an operator: that which it is stored in first, then all that compute it. */
export function buffersOf(view: LoweringsView, step: LoweringStep): BufferView[] {
  const found = [...new Set([...step.ended, ...step.made])].map((id) => view.buffers[id]);
  const stores = (buffer: BufferView): boolean => buffer.body.at(-1)?.[2] === step.node || (buffer.body.length === 0 && step.made.includes(buffer.id));
  return [...found.filter(stores), ...found.filter((buffer) => !stores(buffer))];
}

export const OUTCOME_TONES: Readonly<Record<string, string>> = {
  inlined: "good", realised: "stored", extern: "called", template: "called", fallback: "warning", failed: "bad",
};

/** What the words on the badges mean. */
export const OUTCOME_TEXTS: Readonly<Record<string, string>> = {
  inlined: "A loop that takes no memory: each user computes it inline.",
  realised: "A loop whose result is stored in memory, in a buffer: a kernel writes it.",
  view: "Nothing to compute: other indices into existing memory.",
  extern: "A library's kernel is called.",
  fallback: "PyTorch's own kernel is called, since the compiler generates no code here.",
  template: "A hand-written kernel that the compiler fills in.",
  "in place": "Its input is changed in place.",
  same: "It is its input.",
  part: "One of several results of the operator before.",
  size: "A number that is known while compiling.",
  nothing: "It has no result.",
  failed: "Its lowering raised an error.",
};
