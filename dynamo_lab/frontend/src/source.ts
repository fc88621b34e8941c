// The one interface between the UI and its hosts: the live kernel and the offline page.
import type { ReadonlySignal } from "@preact/signals";
import type { Progress, TrialView, View } from "./types";

export type SaveKind = "html" | "json";

export interface Trials {
  /** Whether the kernel has the program, and so can run it again. */
  readonly ready: ReadonlySignal<boolean>;
  /** The fix whose recording is shown in place of the reader's own; empty for none. */
  readonly shown: ReadonlySignal<string>;
  /** Rejects with a sentence to show. */
  run(item: number, fix: string): Promise<Trial>;
  /** Shows the recording of a trial; null shows the reader's own again. */
  show(trial: Trial | null): void;
}

export interface Trial {
  readonly outcome: TrialView;
  readonly view: View;
}

/** A question for the kernel, by its name in dynamo_lab/questions.py. Rejects with a sentence to show. */
export type Ask = <Answer>(question: string, asked: Readonly<Record<string, unknown>>) => Promise<Answer>;

export interface DataSource {
  readonly view: ReadonlySignal<View | null>;
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
  readonly trials?: Trials;
}
