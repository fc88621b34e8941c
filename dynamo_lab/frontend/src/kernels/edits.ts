// What a reader makes of a kernel's text: it is kept while they look at other things, and so is each attempt.
import { signal, type Signal } from "@preact/signals";
import type { Ask } from "../core/source";
import type { EditView, KernelView } from "../core/types.generated";
import { messageOf } from "../core/words";

export interface Attempt {
  readonly text: string;
  readonly answer?: EditView;
  /** Why there is no answer. */
  readonly error?: string;
}

/** A kernel is built, run and timed, and the program compiled before: minutes where nothing is cached. */
const PATIENCE_MS = 600_000;

export class KernelEdit {
  readonly text: Signal<string>;
  readonly attempts = signal<readonly Attempt[]>([]);
  readonly shown = signal<Attempt | null>(null);
  readonly busy = signal(false);
  /** Counts the times that another text was put in the place of what the reader writes. */
  readonly replaced = signal(0);

  constructor(readonly original: string) {
    this.text = signal(original);
  }

  /** Has the kernel try the text as it stands. */
  async run(ask: Ask, of: string, kernel: number): Promise<void> {
    if (this.busy.value) return;
    const text = this.text.value;
    this.busy.value = true;
    const attempt = await ask("edit_kernel", { of, kernel, code: text }, PATIENCE_MS).then(
      (answer): Attempt => ({ text, answer }),
      (error: unknown): Attempt => ({ text, error: messageOf(error) }),
    );
    this.busy.value = false;
    this.attempts.value = [...this.attempts.value, attempt];
    this.shown.value = attempt;
  }

  /** Goes back to an attempt, its text and what came of it. */
  take(attempt: Attempt): void {
    this.put(attempt.text);
    this.shown.value = attempt;
  }

  reset(): void {
    this.put(this.original);
    this.shown.value = null;
  }

  private put(text: string): void {
    this.text.value = text;
    this.replaced.value++;
  }
}

/** The edits of all kernels of all recordings that a view shows. */
export class Edits {
  private readonly known = new Map<string, KernelEdit>();

  of(label: string, kernel: number, code: string): KernelEdit {
    const key = `${kernel} ${label}`;
    let found = this.known.get(key);
    if (found?.original !== code) this.known.set(key, (found = new KernelEdit(code)));
    return found;
  }
}

/** What Run does. A Triton kernel for a GPU (`isElsewhere`: the program was lowered for a target) runs nowhere here. */
export function howOf({ language }: Pick<KernelView, "language">, isElsewhere: boolean): string {
  const changes = "Change the code at will; its parameters stay. ";
  if (isElsewhere && language === "triton") return `${changes}Run compiles it for its target and checks it in Triton's interpreter. It is not timed.`;
  return `${changes}Run builds it as Inductor does, and calls it in a process of its own with what your program gives the original, so a crash harms nothing. ` +
    "If it computes the same, your program runs with it, is held against eager, and both are timed in turns.";
}

/** How an attempt went: in a word, or in what the kernel alone gains. */
export function outcomeOf({ answer }: Attempt): string {
  if (!answer) return "no answer";
  const [alone] = answer.timings;
  return alone?.tone ? alone.ratio : answer.verdict;
}

const GOOD = "dl-good-text";
const BAD = "dl-bad-text";

export function toneOf(verdict: EditView["verdict"]): string {
  return verdict === "right" ? GOOD : verdict === "unknown" ? "" : BAD;
}
