// What is being tried on a program that still lives, and what became of the last try.
import { type ReadonlySignal, useSignal } from "@preact/signals";
import { useStore } from "../../core/context";
import { NOTHING, type Ran } from "../../core/recordings";
import type { Outcomes } from "../../core/types.generated";
import { messageOf } from "../../core/words";

interface Tried<Trial> {
  readonly fix: string;
  readonly trial?: Trial;
  readonly error?: string;
}

interface Trying<Trial> {
  /** The name of the fix that is tried now. */
  readonly busy: ReadonlySignal<string | null>;
  readonly tried: ReadonlySignal<Tried<Trial> | null>;
  /** Has the kernel try a fix on the recording of this label. */
  attempt(of: string, fix: string, about?: Readonly<Record<string, unknown>>): void;
  /** Shows the recording of a try beside the one that it was made of. */
  open(trial: Trial, base: string): void;
}

export function useTrying<What extends "try_fix" | "try_on_job">(what: What): Trying<Ran<Outcomes[What]>> {
  const { runs, recordings } = useStore().source;
  const busy = useSignal<string | null>(null);
  const tried = useSignal<Tried<Ran<Outcomes[What]>> | null>(null);
  return {
    busy,
    tried,
    attempt(of, fix, about) {
      if (!runs) return;
      busy.value = fix;
      tried.value = null;
      runs.run(what, of, { ...about, fix })
        .then((trial) => (tried.value = { fix, trial }), (error: unknown) => (tried.value = { fix, error: messageOf(error) }))
        .finally(() => (busy.value = null));
    },
    open(trial, base) {
      recordings.add(trial, { base, fix: trial.outcome.fix, asked: NOTHING });
      recordings.show(trial.label);
    },
  };
}
