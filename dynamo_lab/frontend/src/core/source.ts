// The one interface between the UI and its hosts: the live kernel and the offline page.
import type { ReadonlySignal } from "@preact/signals";
import type { FunctionComponent } from "preact";
import type { Ran, Recordings } from "./recordings";
import type { Answers, EditedLines, KernelView, Outcomes, Progress, RanCell, Summary } from "./types.generated";

export type SaveKind = "html" | "json";

/** What a question or a run is to be about, in words that its answer in Python knows. */
export type Asking = Readonly<Record<string, unknown>>;

export interface Runs {
  /** Whether the kernel has the program, and so can run it again. */
  readonly ready: ReadonlySignal<boolean>;
  /** Has the kernel do something with a recording. Rejects with a sentence to show. */
  run<What extends keyof Outcomes>(what: What, of: string, asked: Asking): Promise<Ran<Outcomes[What]>>;
  /** Asks the kernel to end a long run; what it has by then is its answer. */
  stop(): void;
}

/** A question for the kernel. Rejects with a sentence to show. */
export type Ask = <Question extends keyof Answers>(question: Question, asked: Asking, patienceMs?: number) => Promise<Answers[Question]>;

/** What to change in which cell: the lines are those that a diff shows. */
export interface CellEdit extends RanCell {
  readonly parts: readonly EditedLines[];
  /** The lines are a new cell above it. */
  readonly isAbove: boolean;
}

/** The cells of the reader's notebook. Each says in a sentence why it did nothing; nothing where it did it. */
export interface Cells {
  apply(edit: CellEdit): string;
  undo(edit: CellEdit): string;
  isApplied(edit: CellEdit): boolean;
}

export interface EditingProps {
  readonly kernel: KernelView;
}

/** A text to write in, and what it becomes. */
export interface PlaygroundHost {
  readonly Panel: FunctionComponent;
  /** The text alone, for where its reader's code stands. */
  readonly Text: FunctionComponent;
  /** Whether there is a text of a recording; asked while drawing, it follows. */
  hasText(label: string): boolean;
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
  /** Shows it in a place of its own, at an address in it; absent where it has one. Rejects with a sentence to show. */
  readonly popOut?: (root: HTMLElement, address: string) => Promise<void>;
  /** The cells of the notebook around an element, absent where no notebook can be changed. */
  readonly cells?: (element: Element) => Cells | null;
  /** The part that lowers a text as it is written, absent where no kernel lives. */
  readonly playground?: PlaygroundHost;
  /** The part that edits kernels, absent where no kernel lives: a page need not carry it. */
  readonly Editing?: FunctionComponent<EditingProps>;
}

/** Whether what is shown, or the recording that it was made from, is of a program that this can be asked of. */
export function offers({ recordings }: DataSource, what: Summary["offers"][number]): boolean {
  const base = recordings.entries.value.find(({ label }) => label === recordings.shown.value?.base);
  return base?.view.summary.offers.includes(what) ?? false;
}
