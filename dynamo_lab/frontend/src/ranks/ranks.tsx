// The ranks of a job in time, what is known of a collective, and how many there were of which kind.
import { usePart, useStore } from "../core/context";
import type { CollectivesView, MeetingView, SplitView } from "../core/types.generated";
import { bytesText, cut, plural, seconds } from "../core/words";
import { Prose } from "../ui/bits";
import { Table } from "../ui/copy/table";
import type { Window } from "../ui/icicle";
import { Chart } from "./chart";
import { lineOf, longestOpen } from "./lanes";
import { ranksState } from "./state";

/** Of so many ranks the card tells when each came. */
const MOST_TOLD = 16;
/** The most characters of the names of a bucket's parameters. */
const MOST_NAMES = 90;

const wholeOf = ({ seconds: end }: CollectivesView): Window => ({ start: 0, end });
const steadyOf = ({ steady, seconds: end }: CollectivesView): Window => ({ start: steady, end });

function amount({ bytes, result_bytes }: MeetingView): string {
  if (bytes === null) return "";
  return result_bytes === null || result_bytes === bytes ? bytesText(bytes) : `${bytesText(bytes)} \u2192 ${bytesText(result_bytes)}`;
}

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
  const entity = lineOf(view, at, store.source.recordings.shown.value?.label ?? "");
  const first = Math.min(...one.came);
  return (
    <div class="dl-card dl-meeting" aria-live="polite">
      <p>
        <b>{one.operator}</b>{one.ran_as && ` (run as ${one.ran_as})`} {one.number} of {one.group}
        {one.shape && <> {"\u00b7"} <code>{one.shape}</code></>} {"\u00b7"} {amount(one)}
      </p>
      {one.where && <p>{entity ? <button type="button" class="dl-go" data-go={entity}>{one.where}</button> : one.where} {one.text && <code>{one.text}</code>}</p>}
      {(one.why || one.node) && <p><Prose text={[one.why, one.node].filter(Boolean).join("; ")} /></p>}
      {one.waited !== null && <p>Open for {seconds(one.waited)} until {view.labels[one.late]} came.{one.bare !== null && ` Of its run, ${seconds(one.bare)} were not hidden.`}</p>}
      {one.absent.length > 0 && <p>Never reached by {one.absent.slice(0, MOST_TOLD).map((rank) => view.labels[rank]).join(", ")}.</p>}
      {one.ranks.length <= MOST_TOLD && (
        <p class="dl-dim">
          {one.ranks.map((rank, i) => `${view.labels[rank]} +${seconds(one.came[i] - first)}${one.ran[i] ? `, ran ${seconds(one.ran[i][1] - one.ran[i][0])}` : ""}`).join(" \u00b7 ")}
        </p>
      )}
    </div>
  );
}

function Legend({ view, shown }: { view: CollectivesView; shown: Window }) {
  const kinds = new Set(view.bars.flatMap((bars) => bars.filter(([, start, end]) => end > shown.start && start < shown.end).map(([kind]) => kind)));
  return (
    <p class="dl-lane-legend">
      <span><i class="is-call" />a collective</span>
      <span><i class="is-waiting" />open for a late rank</span>
      {kinds.has("computing") && <span><i class="is-computing" />computing</span>}
      {kinds.has("compiling") && <span><i class="is-compiling" />compiling</span>}
    </p>
  );
}

function Split({ split }: { split: SplitView }) {
  return (
    <section class="dl-split">
      <p><Prose text={split.sentence} /></p>
      {split.buckets.length > 1 && (
        <Table class="dl-collectives">
          <thead><tr>{[...split.head, "which"].map((name) => <th key={name} scope="col">{name}</th>)}</tr></thead>
          <tbody>
            {split.buckets.map(({ cells, parameters }) => (
              <tr key={cells[0]}>{cells.map((cell, i) => <td key={i}>{cell}</td>)}<td title={parameters.join("\n")}>{cut(parameters.join(", "), MOST_NAMES)}</td></tr>
            ))}
          </tbody>
        </Table>
      )}
    </section>
  );
}

export function Ranks() {
  const { source } = useStore();
  const { shown, meeting, isHeld } = usePart(ranksState);
  const view = source.recordings.ranks.value?.collectives;
  if (!view) return null;
  const window = shown.value ?? (view.steady > 0 ? steadyOf(view) : wholeOf(view));
  const lit = meeting.value ?? longestOpen(view, window);
  const splits = source.recordings.ranks.value?.splits ?? [];
  const hold = (at: number): void => {
    isHeld.value = true;
    meeting.value = at;
    const { came } = view.meetings[at];
    if (Math.min(...came) < window.start || Math.max(...came) > window.end) shown.value = wholeOf(view);
  };
  return (
    <div class="dl-scroll dl-ranks-part">
      <div class="dl-ranks-head"><Zoom view={view} /><span class="dl-dim">{plural(view.meetings.length, "collective")} of {plural(view.labels.length, "rank")}. Drag to look closer.</span></div>
      {view.sentences.map((text) => <p key={text}><Prose text={text} /></p>)}
      {lit !== null && <Card view={view} at={lit} />}
      <Chart view={view} shown={window} lit={lit} />
      <Legend view={view} shown={window} />
      <Table class="dl-collectives">
        <thead><tr>{view.head.map((name) => <th key={name} scope="col">{name}</th>)}</tr></thead>
        <tbody>
          {view.alike.map(({ meetings, cells }) => (
            <tr key={meetings[0]} class={lit !== null && meetings.includes(lit) ? "is-lit" : ""}>
              {cells.map((cell, i) => (i === 1
                ? <th key={i} scope="row"><button type="button" class="dl-link" onClick={() => hold(meetings[0])}>{cell}</button></th>
                : <td key={i}><Prose text={cell} /></td>))}
            </tr>
          ))}
        </tbody>
      </Table>
      {splits.map((split) => <Split key={split.title} split={split} />)}
    </div>
  );
}
