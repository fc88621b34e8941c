// A schedule read: which groups there are after each round, and what became of which pair.
import type { RulingView, ScheduleView } from "../core/types.generated";

export interface Pair {
  readonly producer: number;
  readonly consumer: number;
  readonly ruling: RulingView;
}

export function pairsOf(schedule: ScheduleView): Pair[] {
  return schedule.ruling.map((ruling, i) => ({
    producer: schedule.pairs[2 * i], consumer: schedule.pairs[2 * i + 1], ruling: schedule.rulings[ruling],
  }));
}

/** "op0 + op1": the operations of a group. */
export const groupName = (schedule: ScheduleView, group: number): string =>
  schedule.groups[group].operations.map((index) => schedule.operations[index].name).join(" + ");

/** The group of each operation after so many rounds; after all of them, combo kernels included. */
export function groupsAfter(schedule: ScheduleView, rounds: number): number[] {
  const of = schedule.operations.map((_, index) => index);
  const take = (group: number): void => {
    for (const index of schedule.groups[group].operations) of[index] = group;
  };
  schedule.start.forEach(take);
  const merged = schedule.rulings.filter((ruling) => ruling.into !== null && ruling.round <= rounds).map((ruling) => ruling.into ?? 0);
  // A group that others came to lie in is the smaller one.
  merged.sort((a, b) => schedule.groups[a].operations.length - schedule.groups[b].operations.length).forEach(take);
  if (rounds >= schedule.rounds.length) schedule.final.forEach((place) => take(place.group));
  return of;
}

/** How many pairs of a round were fused, and how many were not. */
export function tally(pairs: readonly Pair[], round: number): { readonly fused: number; readonly refused: number } {
  const there = pairs.filter(({ ruling }) => ruling.first_round <= round && round <= ruling.round);
  return {
    fused: there.filter(({ ruling }) => ruling.outcome === "fused").length,
    refused: there.filter(({ ruling }) => ruling.outcome === "refused").length,
  };
}

export const when = (ruling: RulingView): string =>
  (ruling.first_round === ruling.round ? `round ${ruling.round}` : `rounds ${ruling.first_round}\u2013${ruling.round}`);
