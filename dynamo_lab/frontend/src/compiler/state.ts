// Which operator is shown, in which language, and what was changed of the compiler.
import { signal, type Signal } from "@preact/signals";
import type { Ask, Asking } from "../core/source";
import { stateOf } from "../core/state";
import type { ChangeView, ScheduleView, StageGraph, StageTurns } from "../core/types.generated";
import { messageOf } from "../core/words";

/** The program is compiled once more before the first change. */
const PATIENCE_MS = 300_000;

/** What the reader changed of one graph's program, and how its stages are since. */
export class GraphChanges {
  readonly busy = signal(false);
  readonly shown = signal<ChangeView | null>(null);
  readonly error = signal("");
  /** The stages with the changes that count; null while nothing was changed. */
  readonly now = signal<StageGraph | null>(null);
  readonly schedule = signal<ScheduleView | null>(null);
  /** What was asked for last, as `draft` calls it. */
  readonly asked = signal("");
  readonly counting = signal<readonly string[]>([]);
  /** The texts that are being written, by what they are of. */
  private readonly drafts = new Map<string, Signal<string | null>>();
  private readonly plans = new Map<string, Signal<readonly StageTurns[] | null>>();

  draft(of: string): Signal<string | null> {
    const found = this.drafts.get(of) ?? signal<string | null>(null);
    this.drafts.set(of, found);
    return found;
  }

  /** How the reader says a kernel's loops; null while nobody does. */
  plan(kernel: string): Signal<readonly StageTurns[] | null> {
    const found = this.plans.get(kernel) ?? signal<readonly StageTurns[] | null>(null);
    this.plans.set(kernel, found);
    return found;
  }

  async change(ask: Ask, of: string, graph: number, change: Asking): Promise<ChangeView | null> {
    if (this.busy.value) return null;
    this.busy.value = true;
    this.asked.value = `${change.what} ${change.kernel ?? change.node ?? ""}`;
    try {
      const found = await ask("recompile", { of, graph, change }, PATIENCE_MS);
      if (found.graph) this.now.value = found.graph;
      if (found.schedule) this.schedule.value = found.schedule;
      this.counting.value = found.changes;
      this.shown.value = found;
      this.error.value = "";
      return found;
    } catch (error: unknown) {
      this.error.value = messageOf(error);
      this.shown.value = null;
      return null;
    } finally {
      this.busy.value = false;
    }
  }
}

export const compilerState = stateOf(() => {
  const known = new Map<string, GraphChanges>();
  return {
    /** The entity of the operator that is shown; empty for the first. */
    operator: signal(""),
    query: signal(""),
    /** The language whose text is shown; empty for the one that runs. */
    language: signal(""),
    changes(label: string, graph: number): GraphChanges {
      const key = `${graph} ${label}`;
      const found = known.get(key) ?? new GraphChanges();
      known.set(key, found);
      return found;
    },
  };
});
