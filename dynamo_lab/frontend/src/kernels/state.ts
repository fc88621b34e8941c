// Which kernel or wrapper is shown.
import { signal } from "@preact/signals";
import { stateOf } from "../core/state";

export interface KernelChoice {
  readonly kind: "kernel" | "wrapper";
  readonly id: number;
  /** The line of the wrapper to show. */
  readonly line?: number | null;
  /** The kernel whose calls the wrapper is to show. */
  readonly of?: number;
}

export const kernelsState = stateOf(() => ({ kernel: signal<KernelChoice | null>(null) }));
