// Which part of a job's time is shown, and which of its collectives is looked at.
import { signal } from "@preact/signals";
import { stateOf } from "../core/state";
import type { Window } from "../ui/icicle";

export const ranksState = stateOf(() => ({
  /** Null for the part to begin with. */
  shown: signal<Window | null>(null),
  meeting: signal<number | null>(null),
  /** Whether it stays when the pointer leaves. */
  isHeld: signal(false),
  /** The setting of DDP that was asked for: another object each time, so that it comes into sight again. */
  asked: signal<{ readonly name: string } | null>(null),
}));
