// Where the lanes of a job's ranks lie, and which collective is under the pointer. Nothing here draws.
import type { CollectivesView, MeetingView } from "../core/types.generated";
import { bytesText, seconds } from "../core/words";
import type { Window } from "../ui/icicle";

export interface Lanes {
  readonly width: number;
  readonly rowHeight: number;
  readonly height: number;
}

/** A collective as one rank came to it. */
export interface Arrival {
  readonly meeting: number;
  /** The place among the meeting's ranks. */
  readonly at: number;
  readonly came: number;
}

/** All lanes fit into about this height; few are tall, many thin. */
const TALL = 640;

export function lanesOf(ranks: number, width: number): Lanes {
  const rowHeight = Math.max(9, Math.min(34, Math.floor(TALL / Math.max(1, ranks))));
  return { width, rowHeight, height: ranks * rowHeight };
}

/** What each rank came to, in order. */
export function arrivalsOf(view: CollectivesView): readonly (readonly Arrival[])[] {
  const found: Arrival[][] = view.labels.map(() => []);
  view.meetings.forEach(({ ranks, came }, meeting) => {
    ranks.forEach((rank, at) => found[rank].push({ meeting, at, came: came[at] }));
  });
  for (const own of found) own.sort((a, b) => a.came - b.came);
  return found;
}

export const xOf = (time: number, window: Window, width: number): number => ((time - window.start) / (window.end - window.start || 1)) * width;

export const timeOf = (x: number, window: Window, width: number): number => window.start + (x / (width || 1)) * (window.end - window.start);

/** The arrival of a lane that is nearest to a time, by halving; none where the lane has none. */
export function nearest(arrivals: readonly Arrival[], time: number): Arrival | null {
  let low = 0;
  let high = arrivals.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (arrivals[middle].came < time) low = middle + 1;
    else high = middle;
  }
  const before: Arrival | undefined = arrivals[low - 1];
  const after: Arrival | undefined = arrivals[low];
  if (!before || !after) return before ?? after ?? null;
  return time - before.came <= after.came - time ? before : after;
}

/** What stood open the longest of what began in a time: what to look at first. */
export function longestOpen({ meetings }: CollectivesView, shown: Window): number | null {
  const inside = meetings.flatMap(({ came, waited }, at) => (waited !== null && Math.min(...came) >= shown.start && Math.min(...came) <= shown.end ? [at] : []));
  return inside.length === 0 ? null : inside.reduce((most, at) => ((meetings[at].waited ?? 0) > (meetings[most].waited ?? 0) ? at : most));
}

/** Whether one clock tells when each of its ranks came: of one whose hosts' clocks may differ it is not known how late anybody was. */
export const isByOneClock = ({ ranks, waited }: MeetingView): boolean => ranks.length < 2 || waited !== null;

/** Whether any collective of a time stood open for a late rank. */
export const isAnyOpen = ({ meetings }: CollectivesView, { start, end }: Window): boolean =>
  meetings.some(({ came, waited }) => waited !== null && waited > 0 && Math.max(...came) > start && Math.min(...came) < end);

/** "rank 1 came 2 s later, ran 3 ms": without when it came where no clock tells that beside the others. */
export function arrivalText(view: CollectivesView, { ranks, came, ran, waited }: MeetingView, at: number): string {
  const time = came[at] - Math.min(...came);
  const run = ran[at];
  const told = [
    ...(waited === null ? [] : [time === 0 ? "came first" : `came ${seconds(time)} later`]),
    ...(run ? [`ran ${seconds(run[1] - run[0])}`] : []),
  ];
  return [view.labels[ranks[at]], told.join(", ")].filter(Boolean).join(" ");
}

/** What ranks do in a time, by the kinds of their bars. */
export function kindsIn({ bars }: CollectivesView, { start, end }: Window): ReadonlySet<string> {
  const found = new Set<string>();
  for (const own of bars) {
    for (const [kind, from, to] of own) if (to > start && from < end) found.add(kind);
  }
  return found;
}

/** What ranks bring, and get where that is not as much: the most of any rank, where it varies. */
export function amountText({ bytes, result_bytes, brings_vary, results_vary }: MeetingView): string {
  if (bytes === null) return "";
  const brings = upTo(bytes, brings_vary);
  const gets = result_bytes === null ? brings : upTo(result_bytes, results_vary);
  return gets === brings ? brings : `${brings} \u2192 ${gets}`;
}

const upTo = (bytes: number, varies: boolean): string => `${varies ? "up to " : ""}${bytesText(bytes)}`;

/** What asked for a collective, as one rank's recording has it; empty where that is not known. */
export interface Asker {
  readonly label: string;
  readonly line: string;
  readonly node: string;
}

/** The same in the recording that is shown if that rank came to it, else in that of the rank that is told. */
export function askerOf(view: CollectivesView, meeting: number, shown: string): Asker {
  const { lines, nodes, ranks, told } = view.meetings[meeting];
  const found = ranks.findIndex((rank) => view.labels[rank] === shown);
  const at = found < 0 ? Math.max(0, ranks.indexOf(told)) : found;
  const own = (all: readonly string[]): string => (all.length === 1 ? all[0] : all[at]) ?? "";
  return { label: view.labels[ranks[at]], line: own(lines), node: own(nodes) };
}
