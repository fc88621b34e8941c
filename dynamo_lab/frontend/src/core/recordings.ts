// The recordings that one UI shows, one at a time: the reader's own, and those the kernel made since.
import { batch, computed, type ReadonlySignal, signal } from "@preact/signals";
import type { PairView, RanksView, SideBySideView, SwitchState, View } from "./types.generated";

/** The label of a recording that stands alone; the kernel calls it so too. */
export const OWN = "as recorded";

export type SwitchValue = SwitchState["value"];

/** A new recording, what came of the run, and how the recording compares to each that is there. */
export interface Ran<Outcome> {
  readonly label: string;
  readonly outcome: Outcome;
  readonly view: View;
  readonly pairs: readonly PairView[];
}

/** What a program was lowered again with, beside what its recording was made with. */
export interface Asked {
  /** Empty for the recording's own. */
  readonly target: string;
  readonly switches: Readonly<Record<string, SwitchValue>>;
}

export interface Entry {
  readonly label: string;
  readonly view: View;
  /** The label of the reader's own recording that this one was made from, or is. */
  readonly base: string;
  /** The fix that was tried; empty for none. */
  readonly fix: string;
  readonly asked: Asked;
}

export const NOTHING: Asked = { target: "", switches: {} };

export class Recordings {
  readonly entries = signal<readonly Entry[]>([]);
  readonly pairs = signal<readonly PairView[]>([]);
  readonly ranks = signal<RanksView | null>(null);
  private readonly chosen = signal("");
  readonly shown: ReadonlySignal<Entry | null> = computed(
    () => this.entries.value.find((entry) => entry.label === this.chosen.value) ?? this.entries.value[0] ?? null,
  );
  private readonly amended = signal<{ readonly of: View | null; readonly view: View } | null>(null);
  readonly view: ReadonlySignal<View | null> = computed(() => {
    const own = this.shown.value?.view ?? null;
    return this.amended.value?.of === own ? this.amended.value.view : own;
  });

  /** Shows what the host has, in place of all that was shown before. */
  reset(payload: View | SideBySideView | null): void {
    const several = payload && "views" in payload ? payload : null;
    const own = (label: string, view: View): Entry => ({ label, view, base: label, fix: "", asked: NOTHING });
    batch(() => {
      if (several) this.entries.value = several.views.map((view, i) => own(several.labels[i] ?? String(i), view));
      else this.entries.value = payload ? [own(OWN, payload as View)] : [];
      this.pairs.value = several?.pairs ?? [];
      this.ranks.value = several?.ranks ?? null;
    });
  }

  /** Takes in what the kernel made of `base`; one of the same label gives way to it. */
  add({ label, view, pairs }: Ran<unknown>, of: Pick<Entry, "base" | "fix" | "asked">): void {
    batch(() => {
      const at = this.entries.value.findIndex((entry) => entry.label === label);
      const entry = { ...of, label, view };
      this.entries.value = at < 0 ? [...this.entries.value, entry] : this.entries.value.with(at, entry);
      this.pairs.value = [...this.pairs.value.filter((pair) => pair.a !== label && pair.b !== label), ...pairs];
    });
  }

  /** Shows another view in place of the recording's own, which stays as it is; null shows that again. */
  amend(view: View | null): void {
    this.amended.value = view && { of: this.shown.peek()?.view ?? null, view };
  }

  show(label: string): void {
    this.chosen.value = label;
  }

  /** What became of the kernels of `a` in `b`. */
  between(a: string, b: string): PairView | null {
    const found = this.pairs.value.find((pair) => (pair.a === a && pair.b === b) || (pair.a === b && pair.b === a));
    return found ?? null;
  }
}
