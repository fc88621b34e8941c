// Where compile time went: nested bars, click to zoom, and the totals of the largest phases.
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { useModel } from "../context";
import { bars, rowsOf, ticks, type Window } from "../icicle";
import type { PhaseView, TimelineView } from "../types";
import { Empty, plural, seconds } from "../ui/bits";

const ROW = 24;

/** Phases beyond these take next to no time, and PyTorch times hundreds. */
const MOST_TOTALS = 30;

/** A colour by name, so that a phase keeps it wherever it occurs. */
function colourOf(name: string): number {
  let hash = 0;
  for (const letter of name) hash = (hash * 31 + letter.charCodeAt(0)) >>> 0;
  return hash % 8;
}

function describe(phase: PhaseView, all: number): string {
  const [name, , time, , id, explanation] = phase;
  const share = all > 0 ? `, ${((time / all) * 100).toFixed(1)} %` : "";
  return [`${name}: ${seconds(time)}${share}`, id && `compilation ${id}`, explanation].filter(Boolean).join("\n");
}

function wholeOf(timeline: TimelineView): Window {
  const starts = timeline.phases.map((phase) => phase[1]);
  const ends = timeline.phases.map((phase) => phase[1] + phase[2]);
  return { start: Math.min(...starts), end: Math.max(...ends) };
}

function Totals({ timeline }: { timeline: TimelineView }) {
  const rest = timeline.totals.length - MOST_TOTALS;
  return (
    <table class="dl-totals">
      <thead><tr><th scope="col">phase</th><th scope="col">own time</th><th scope="col">share</th></tr></thead>
      <tbody>
        {timeline.totals.slice(0, MOST_TOTALS).map(([name, time, share]) => (
          <tr key={name}>
            <th scope="row"><i class={`dl-swatch dl-r${colourOf(name)}`} />{name}</th>
            <td>{seconds(time)}</td>
            <td><span class="dl-share"><i style={{ width: `${Math.min(100, share * 100)}%` }} /></span>{(share * 100).toFixed(1)} %</td>
          </tr>
        ))}
      </tbody>
      {rest > 0 && <tfoot><tr><td colSpan={3}>and {plural(rest, "phase")} of less time</td></tr></tfoot>}
    </table>
  );
}

export function Timeline() {
  const { timeline } = useModel().view;
  const zoom = useSignal<number | null>(null);
  const about = useSignal<number | null>(null);
  const { phases } = timeline;
  const rows = useMemo(() => rowsOf(phases), [phases]);
  if (phases.length === 0) {
    return <Empty title="No timings">PyTorch reported no compile phases for this recording: nothing was compiled, or this release does not time it.</Empty>;
  }
  const zoomed = zoom.value === null ? undefined : phases[zoom.value];
  const window = zoomed ? { start: zoomed[1], end: zoomed[1] + zoomed[2] } : wholeOf(timeline);
  const span = window.end - window.start || 1;
  const origin = wholeOf(timeline).start;
  const depth = rows.reduce((most, row) => Math.max(most, row), 0) + 1;
  const told = about.value === null ? undefined : phases[about.value];
  const tell = (event: Event): void => {
    const bar = event.target instanceof Element ? event.target.closest("[data-phase]") : null;
    about.value = bar ? Number(bar.getAttribute("data-phase")) : null;
  };
  return (
    <div class="dl-scroll dl-timeline">
      <div class="dl-toolbar">
        <b>{seconds(timeline.seconds)}</b><span class="dl-dim">in all</span>
        {zoomed && <><span class="dl-dim">{"\u203a"}</span><b>{zoomed[0]}</b><span class="dl-dim">{seconds(zoomed[2])}</span>
          <button type="button" class="dl-button" onClick={() => (zoom.value = null)}>Show all</button></>}
      </div>
      <div class="dl-axis" aria-hidden="true">
        {ticks(window, origin).map((t) => <span key={t} style={{ left: `${((t - window.start) / span) * 100}%` }}>{seconds(t - origin)}</span>)}
      </div>
      <div class="dl-icicle" style={{ height: `${depth * ROW}px` }} onPointerOver={tell} onPointerLeave={() => (about.value = null)} onFocusIn={tell}>
        {bars(phases, rows, window).map((bar) => (
          <button
            key={bar.index} type="button" data-phase={bar.index} title={describe(phases[bar.index], timeline.seconds)}
            class={`dl-bar-phase dl-r${colourOf(phases[bar.index][0])}${bar.index === zoom.value ? " is-cursor" : ""}`}
            style={{ left: `${bar.left * 100}%`, width: `${bar.width * 100}%`, top: `${bar.row * ROW}px` }}
            onClick={() => (zoom.value = zoom.value === bar.index ? null : bar.index)}
          >
            {phases[bar.index][0]}{bar.row === 0 && phases[bar.index][4] && ` ${phases[bar.index][4]}`}
          </button>
        ))}
      </div>
      <p class="dl-about">
        {told
          ? <><b>{told[0]}</b> {seconds(told[2])}{told[4] && <span class="dl-dim"> compilation {told[4]}</span>} {told[5]}</>
          : <span class="dl-dim">Click a bar to look inside it.</span>}
      </p>
      <Totals timeline={timeline} />
    </div>
  );
}
