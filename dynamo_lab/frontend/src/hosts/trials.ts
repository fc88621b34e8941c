// Fixes tried in the kernel: requests, their answers, and which recording is shown.
import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { asBytes, decodeView } from "../decode";
import type { Trial, Trials } from "../source";
import type { TrialView, View } from "../types";
import { Requests } from "./requests";

export interface TrialMessage {
  readonly type: "trial";
  readonly request: number;
  readonly trial?: TrialView;
  readonly error?: string;
}

export interface TryFix {
  readonly type: "try_fix";
  readonly break: number;
  readonly fix: string;
  readonly request: number;
}

/** A model takes minutes to compile; a kernel that has gone should not leave a reader waiting for ever. */
export const TRIAL_PATIENCE_MS = 600_000;

export class TrialRuns implements Trials {
  readonly ready = signal(false);
  readonly shown: ReadonlySignal<string>;
  /** The view to show: that of a trial, else the reader's own. */
  readonly view: ReadonlySignal<View | null>;
  private readonly open = signal<Trial | null>(null);
  private readonly requests = new Requests<Trial>(TRIAL_PATIENCE_MS);

  constructor(own: ReadonlySignal<View | null>, private readonly send: (message: TryFix) => void) {
    this.shown = computed(() => this.open.value?.outcome.fix ?? "");
    this.view = computed(() => this.open.value?.view ?? own.value);
  }

  run(item: number, fix: string): Promise<Trial> {
    return this.requests.send((request) => this.send({ type: "try_fix", break: item, fix, request }));
  }

  show(trial: Trial | null): void {
    this.open.value = trial;
  }

  receive(message: TrialMessage, buffer: DataView | undefined): void {
    const asked = this.requests.take(message.request);
    if (!asked) return;
    const { trial } = message;
    if (!trial || !buffer) return asked.reject(new Error(message.error ?? "The kernel sent no answer."));
    decodeView(asBytes(buffer)).then(
      (view) => (view ? asked.resolve({ outcome: trial, view }) : asked.reject(new Error("The trial has no recording."))),
      () => asked.reject(new Error("The recording of the trial could not be read. Try it again.")),
    );
  }

  close(): void {
    this.requests.close();
  }
}
