// The steps played: what is known after each, and which step comes next. Mirrors Python's `playback`;
// everything is indexed once, so that a move costs what is shown and not what was recorded.
import { fromBase64 } from "../core/decode";
import { ADDED_NODE, type AddedGuard, CALL, type EventRow, type NodeRow, type StepsView, type Stop, type Symbolic, type TakeView } from "../core/types.generated";

export interface Local {
  readonly name: string;
  readonly value: Symbolic;
  readonly isNew: boolean;
}

/** Rows of a table, from the first up to the end. */
export interface Rows {
  readonly first: number;
  readonly end: number;
}

/** A column: 32-bit little-endian integers. */
export function column(text: string): Int32Array {
  const view = new DataView(fromBase64(text).buffer);
  const found = new Int32Array(view.byteLength >> 2);
  for (let i = 0; i < found.length; i++) found[i] = view.getInt32(4 * i, true);
  return found;
}

/** How many of the ascending numbers are below `limit`. */
export function below(numbers: ArrayLike<number>, limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Rows of a call's changes to its local variables: step, name, value. */
type Bound = readonly (readonly [number, number, number])[];

export class Playback {
  readonly count: number;
  private readonly call: Int32Array;
  private readonly at: Int32Array;
  private readonly cell: Int32Array;
  private readonly belowCell: Int32Array;
  private readonly held: Int32Array;
  private readonly bound: ReadonlyMap<number, Bound>;
  private readonly firsts: readonly number[];
  private readonly nodeSteps: readonly number[];
  private readonly guardSteps: readonly number[];
  private readonly eventSteps: readonly number[];
  private readonly breakSteps: readonly number[];

  constructor(readonly view: StepsView) {
    this.call = column(view.call);
    this.at = column(view.instruction);
    this.cell = column(view.stack);
    this.belowCell = column(view.below);
    this.held = column(view.held);
    this.count = this.call.length;
    this.bound = this.byCall(column(view.bound));
    this.firsts = view.takes.map((take) => take.first);
    this.nodeSteps = view.nodes.map(([added]) => added[ADDED_NODE.step]);
    this.guardSteps = view.guards.map(([step]) => step);
    this.eventSteps = view.events.map(([step]) => step);
    this.breakSteps = view.events.filter(([, kind]) => kind === "break" || kind === "restart").map(([step]) => step);
  }

  private byCall(bound: Int32Array): ReadonlyMap<number, Bound> {
    const found = new Map<number, [number, number, number][]>();
    for (let i = 0; i < bound.length; i += 3) {
      const call = this.call[bound[i]];
      const rows = found.get(call) ?? [];
      if (rows.length === 0) found.set(call, rows);
      rows.push([bound[i], bound[i + 1], bound[i + 2]]);
    }
    return found;
  }

  takeIndex(step: number): number {
    return below(this.firsts, step + 1) - 1;
  }

  take(step: number): TakeView {
    return this.view.takes[this.takeIndex(step)];
  }

  callOf(step: number): number {
    return this.call[step];
  }

  codeOf(step: number): number {
    return this.view.calls[this.call[step]][CALL.code];
  }

  /** The index of the step's instruction in its code. */
  instruction(step: number): number {
    return this.at[step];
  }

  /** The calls that a step lies in, the frame's own first. */
  chain(step: number): readonly number[] {
    const found: number[] = [];
    for (let call = this.call[step]; call >= 0; call = this.view.calls[call][CALL.parent]) found.push(call);
    return found.reverse();
  }

  /** The symbolic stack after a step, its top first. */
  stack(step: number): readonly Symbolic[] {
    const found: Symbolic[] = [];
    for (let cell = this.cell[step]; cell >= 0; cell = this.belowCell[cell]) found.push(this.view.values[this.held[cell]]);
    return found;
  }

  /** The local variables, after a step, of the call that it belongs to. */
  locals(step: number): readonly Local[] {
    const found = new Map<number, readonly [number, number]>();
    for (const [at, name, value] of this.bound.get(this.call[step]) ?? []) {
      if (at > step) break;
      found.set(name, [at, value]);
    }
    return [...found]
      .filter(([, [, value]]) => value >= 0)
      .map(([name, [at, value]]) => ({ name: this.view.strings[name], value: this.view.values[value], isNew: at === step }));
  }

  /** The nodes that the attempt has added so far; some may have been removed again. */
  nodes(step: number): Rows {
    return this.between(this.nodeSteps, this.take(step).first, step);
  }

  guards(step: number): Rows {
    return this.between(this.guardSteps, this.take(step).first, step);
  }

  events(step: number): readonly EventRow[] {
    const { first, end } = this.between(this.eventSteps, step, step);
    return this.view.events.slice(first, end);
  }

  private between(steps: readonly number[], first: number, last: number): Rows {
    return { first: below(steps, first), end: below(steps, last + 1) };
  }

  /** The function that a step goes into, -1 for none: its first step comes next. */
  goesInto(step: number): number {
    const next = step + 1 < this.count ? this.call[step + 1] : -1;
    return next >= 0 && next !== this.call[step] && this.view.calls[next][CALL.step] === step ? next : -1;
  }

  /** The step to go to; the same one where there is none. */
  move(step: number, stop: Stop, by: 1 | -1): number {
    switch (stop) {
      case "step": return Math.min(Math.max(step + by, 0), this.count - 1);
      case "over": return this.scan(step, by, new Set(this.chain(step)));
      case "out": return this.scan(step, by, new Set(this.chain(step).slice(0, -1)));
      case "break": return nearest(this.breakSteps, step, by);
      case "node": return nearest(this.nodeSteps, step, by);
      case "guard": return nearest(this.guardSteps, step, by);
      case "attempt": return nearest(this.firsts, step, by);
    }
  }

  /** The next step of one of these calls, or of another attempt. */
  private scan(step: number, by: 1 | -1, calls: ReadonlySet<number>): number {
    const { first, end } = this.take(step);
    for (let at = step + by; at >= 0 && at < this.count; at += by) {
      if (calls.has(this.call[at]) || at < first || at >= end) return at;
    }
    return step;
  }

  /** The step nearest to `from` that runs an instruction of the code at hand; -1 for none. */
  stepOf(instruction: number, from: number): number {
    const call = this.call[from];
    const { first, end } = this.take(from);
    for (let away = 0; away < end - first; away++) {
      for (const at of [from + away, from - away]) {
        if (at >= first && at < end && this.call[at] === call && this.at[at] === instruction) return at;
      }
    }
    return -1;
  }

  /** The step at which a break was made, -1 where it was not recorded. */
  stepOfBreak(entity: string): number {
    return this.view.events.find(([, , , target]) => target === entity)?.[0] ?? -1;
  }

  /** The first step of an attempt, -1 where it was not recorded. */
  stepOfAttempt(frame: number, attempt: number): number {
    return this.view.takes.find((take) => take.frame === frame && take.attempt === attempt && take.end > take.first)?.first ?? -1;
  }
}

function nearest(stops: readonly number[], step: number, by: 1 | -1): number {
  const index = by === 1 ? below(stops, step + 1) : below(stops, step) - 1;
  return Math.max(0, stops[index] ?? step);
}

/** Whether a node that was added is still there after a step. */
export function isThere([added]: NodeRow, step: number): boolean {
  const removed = added[ADDED_NODE.removed];
  return removed < 0 || removed > step;
}

/** Guards in the words of one line: those on PyTorch's own state have no source. */
export function guardTexts(guards: readonly AddedGuard[]): readonly string[] {
  const own = guards.filter(([, , source]) => source === "").map(([, kind]) => kind);
  const named = guards.filter(([, , source]) => source !== "").map(([, kind, source]) => `${kind} ${source}`);
  return own.length > 0 ? [`on PyTorch's own state: ${own.join(", ")}`, ...named] : named;
}

/** Dynamo's own variables, in a function that resumes another. */
export const isInner = (name: string): boolean => /^(__(nested|is_tracing)_|___stack\d)/.test(name);
