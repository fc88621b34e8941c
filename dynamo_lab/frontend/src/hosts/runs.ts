// What the kernel runs again: a fix that is tried, a program that is lowered with other switches.
import { signal } from "@preact/signals";
import { asBytes, decode } from "../core/decode";
import type { Ran } from "../core/recordings";
import type { Asking, Runs } from "../core/source";
import type { Outcomes, RanMessage, View } from "../core/types.generated";
import { Requests } from "./requests";

export interface RunMessage {
  readonly type: "run";
  readonly what: string;
  readonly of: string;
  readonly request: number;
  readonly [asked: string]: unknown;
}

/** A model takes minutes to compile; a kernel that has gone should not leave a reader waiting for ever. */
export const RUN_PATIENCE_MS = 600_000;

export class KernelRuns implements Runs {
  readonly ready = signal(false);
  private readonly requests = new Requests<Ran<unknown>>(RUN_PATIENCE_MS);

  constructor(private readonly send: (message: RunMessage | { readonly type: "stop" }) => void) {}

  run<What extends keyof Outcomes>(what: What, of: string, asked: Asking): Promise<Ran<Outcomes[What]>> {
    return this.requests.send((request) => this.send({ ...asked, type: "run", what, of, request })) as Promise<Ran<Outcomes[What]>>;
  }

  stop(): void {
    this.send({ type: "stop" });
  }

  receive(message: RanMessage, buffer: DataView | undefined): void {
    const asked = this.requests.take(message.request);
    if (!asked) return;
    const { label, outcome, pairs = [] } = message;
    if (label === undefined || !buffer) return asked.reject(new Error(message.error ?? "The kernel sent no answer."));
    decode<View>(asBytes(buffer)).then(
      (view) => (view ? asked.resolve({ label, outcome, pairs, view }) : asked.reject(new Error("The run has no recording."))),
      () => asked.reject(new Error("The recording of the run could not be read. Try it again.")),
    );
  }

  close(): void {
    this.requests.close();
  }
}
