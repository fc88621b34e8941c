// The one interface between the UI and its hosts: the live kernel and the offline page.
import type { ReadonlySignal } from "@preact/signals";
import type { FunctionComponent } from "preact";
import type { Recordings } from "./recordings";
import type { KernelView, PairView, Progress, View } from "./types";

export type SaveKind = "html" | "json";

export interface Runs {
  /** Whether the kernel has the program, and so can run it again. */
  readonly ready: ReadonlySignal<boolean>;
  /** Has the kernel do something of dynamo_lab/runs.py with a recording. Rejects with a sentence to show. */
  run<Outcome>(what: string, of: string, asked: Readonly<Record<string, unknown>>): Promise<Ran<Outcome>>;
  /** Asks the kernel to end a long run; what it has by then is its answer. */
  stop(): void;
}

/** A new recording, what came of the run, and how the recording compares to each that is there. */
export interface Ran<Outcome> {
  readonly label: string;
  readonly outcome: Outcome;
  readonly view: View;
  readonly pairs: readonly PairView[];
}

/** A question for the kernel, by its name in dynamo_lab/questions.py. Rejects with a sentence to show. */
export type Ask = <Answer>(question: string, asked: Readonly<Record<string, unknown>>, patienceMs?: number) => Promise<Answer>;

export interface EditingProps {
  readonly kernel: KernelView;
}

export interface DataSource {
  readonly recordings: Recordings;
  readonly progress: ReadonlySignal<Progress | null>;
  /** What went wrong on the way to the view, in a sentence; empty while all is well. */
  readonly failure: ReadonlySignal<string>;
  /** A heavy part of the front-end, fetched on first need. Rejects with a sentence to show. */
  asset(name: string): Promise<string>;
  /** Absent where the host cannot save. Rejects with a sentence to show. */
  readonly save?: (what: SaveKind) => Promise<void>;
  /** Absent where no kernel lives. */
  readonly ask?: Ask;
  /** Absent where there is no kernel to run a program in. */
  readonly runs?: Runs;
  /** The part that edits kernels, absent where no kernel lives: a page need not carry it. */
  readonly Editing?: FunctionComponent<EditingProps>;
}
