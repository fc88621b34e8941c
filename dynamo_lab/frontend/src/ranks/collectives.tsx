// The collectives of a job in time, what is known of one, and how many there were of which kind.
import { useMemo } from "preact/hooks";
import { usePart, useStore } from "../core/context";
import type { CollectivesView } from "../core/types.generated";
import { plural, seconds } from "../core/words";
import { Prose } from "../ui/bits";
import { Table } from "../ui/copy/table";
import type { Window } from "../ui/icicle";
import { Chart } from "./chart";
import { amountText, arrivalText, askerOf, isAnyOpen, isByOneClock, kindsIn, longestOpen } from "./lanes";
import { Asked, GoIn } from "./go-in";
import { Settings } from "./reducers";
import { ranksState } from "./state";

/** Of so many ranks the card tells when each came. */
const MOST_TOLD = 16;

const wholeOf = ({ seconds: end }: CollectivesView): Window => ({ start: 0, end });
const steadyOf = ({ steady, seconds: end }: CollectivesView): Window => ({ start: steady, end });

function Zoom({ view }: { view: CollectivesView }) {
  const { shown } = usePart(ranksState);
  const now = shown.value;
  const choices: readonly (readonly [string, Window])[] = [
    ["Whole run", wholeOf(view)],
    ...(view.steady > 0 ? [["After compiling", steadyOf(view)] as const] : []),
  ];
  const current = now ?? (view.steady > 0 ? steadyOf(view) : wholeOf(view));
  return (
    <div class="dl-segments" role="group" aria-label="Part of the time">
      {choices.map(([name, window]) => (
        <button key={name} type="button" aria-pressed={window.start === current.start && window.end === current.end} onClick={() => { shown.value = window; }}>{name}</button>
      ))}
    </div>
  );
}

function Card({ view, at }: { view: CollectivesView; at: number }) {
  const store = useStore();
  const one = view.meetings[at];
  const asker = askerOf(view, at, store.source.recordings.shown.value?.label ?? "");
  return (
    <div class="dl-card dl-meeting" aria-live="polite">
      <p>
        <b>{one.operator}</b>{one.ran_as && ` (run as ${one.ran_as})`}, number {one.number} of <Prose text={one.group} />
        {one.shape && <> {"\u00b7"} <code>{one.shape}</code></>} {"\u00b7"} {amountText(one)}
      </p>
      {one.where && <p><GoIn label={asker.label} to={asker.line}>{one.where}</GoIn> {one.text && <code>{one.text}</code>}</p>}
      {(one.why || one.node) && (
        <p><Asked text={[one.why, one.node].filter(Boolean).join("; ")} node={one.node} label={asker.label} to={asker.node} />{one.settings.length > 0 && <>. To try: <Settings names={one.settings} /></>}</p>
      )}
      {one.waited !== null && <p>Open for {seconds(one.waited)} until {view.labels[one.late]} came.{one.bare !== null && ` Of its run, ${seconds(one.bare)} were not hidden.`}</p>}
      {!isByOneClock(one) && <p>How late each rank came is not known, as the clocks of their hosts may differ: no line joins their marks.</p>}
      {one.absent.length > 0 && <p>Never reached by {one.absent.slice(0, MOST_TOLD).map((rank) => view.labels[rank]).join(", ")}.</p>}
      {one.ranks.length <= MOST_TOLD && (
        <p class="dl-dim">
          {one.ranks.map((_, i) => arrivalText(view, one, i)).join(" \u00b7 ")}
        </p>
      )}
    </div>
  );
}

function Legend({ view, shown, hasLit }: { view: CollectivesView; shown: Window; hasLit: boolean }) {
  const kinds = useMemo(() => kindsIn(view, shown), [view, shown.start, shown.end]);
  const isOpen = useMemo(() => isAnyOpen(view, shown), [view, shown.start, shown.end]);
  return (
    <p class="dl-lane-legend">
      <span><i class="is-call" />a collective</span>
      {isOpen && <span><i class="is-waiting" />open for a late rank</span>}
      {kinds.has("computing") && <span title="The paler, the smaller the part of that time in which it computed"><i class="is-computing" />computing, paler for a part of the time</span>}
      {kinds.has("compiling") && <span><i class="is-compiling" />compiling</span>}
      {hasLit && <span><i class="is-chosen" />the collective told of below, on each rank</span>}
    </p>
  );
}

/** What the columns of times mean, which their names do not say. */
const MEANINGS: Readonly<Record<string, string>> = {
  "open for": "From the first rank that came to it to the last, of all of them together",
  ran: "The longest run on any rank, of all of them together",
  "not hidden": "How much of its run the rank computed nothing meanwhile",
};

/** The kinds of collectives. What is in a row does not follow the pointer, so it is made once. */
function Alike({ view, lit, hold }: { view: CollectivesView; lit: number | null; hold: (meeting: number) => void }) {
  const label = useStore().source.recordings.shown.value?.label ?? "";
  const cells = useMemo(() => view.alike.map(({ meetings, cells: own }) => own.map((cell, i) => {
    if (i === 1) return <th key={i} scope="row"><button type="button" class="dl-link" onClick={() => hold(meetings[0])}>{cell}</button></th>;
    const asker = askerOf(view, meetings[0], label);
    if (view.head[i] === "line") return <td key={i}><GoIn label={asker.label} to={asker.line}>{cell}</GoIn></td>;
    return <td key={i}>{view.head[i] === "asked by" ? <Asked text={cell} node={view.meetings[meetings[0]].node} label={asker.label} to={asker.node} /> : <Prose text={cell} />}</td>;
  })), [view, label]);
  const rowOf = useMemo(() => new Map(view.alike.flatMap(({ meetings }, row) => meetings.map((meeting) => [meeting, row] as const))), [view]);
  const litRow = lit === null ? -1 : rowOf.get(lit);
  return (
    <Table class="dl-collectives">
      <thead><tr>{view.head.map((name) => <th key={name} scope="col" title={MEANINGS[name]}>{name}</th>)}</tr></thead>
      <tbody>{cells.map((own, row) => <tr key={row} class={row === litRow ? "is-lit" : ""}>{own}</tr>)}</tbody>
    </Table>
  );
}

export function Collectives({ view }: { view: CollectivesView }) {
  const { shown, meeting, isHeld } = usePart(ranksState);
  const window = shown.value ?? (view.steady > 0 ? steadyOf(view) : wholeOf(view));
  const lit = meeting.value ?? longestOpen(view, window);
  const hold = (at: number): void => {
    isHeld.value = true;
    meeting.value = at;
    const { came } = view.meetings[at];
    const now = shown.peek() ?? (view.steady > 0 ? steadyOf(view) : wholeOf(view));
    if (Math.min(...came) < now.start || Math.max(...came) > now.end) shown.value = wholeOf(view);
  };
  return (
    <>
      <div class="dl-ranks-head"><Zoom view={view} /><span class="dl-dim">{plural(view.meetings.length, "collective")} of {plural(view.labels.length, "rank")}. Drag to look closer.</span></div>
      {view.sentences.map((text) => <p key={text}><Prose text={text} /></p>)}
      <div>
        <Chart view={view} shown={window} lit={lit} />
        <Legend view={view} shown={window} hasLit={lit !== null} />
        {lit !== null && <Card view={view} at={lit} />}
      </div>
      <Alike view={view} lit={lit} hold={hold} />
    </>
  );
}
