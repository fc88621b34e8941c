// Where compile time went: nested bars, click to zoom, and the totals of the largest phases.
import { useSignal } from "@preact/signals";
import { useId, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { useModel } from "../core/context";
import { PHASE, type PhaseView, type TimelineView } from "../core/types.generated";
import { plural, seconds } from "../core/words";
import { Empty, WhyNone } from "../ui/bits";
import { Caches, Costs, Memory } from "./costs";
import { type Bar, bars, neighbour, rowsOf, ticks, type Window } from "../ui/icicle";
import { Table } from "../ui/copy/table";

const ROW = 24;

/** Phases beyond these take next to no time, and PyTorch times hundreds. */
const MOST_TOTALS = 30;

/** A colour by name, so that a phase keeps it wherever it occurs. */
function colourOf(name: string): number {
  let hash = 0;
  for (const letter of name) hash = (hash * 31 + letter.charCodeAt(0)) >>> 0;
  return hash % 8;
}

/** A bar narrower than this shows no name: a letter or two say nothing. */
const LEAST_LABEL = 52;

const share = (time: number, all: number): string => (all > 0 ? `${((time / all) * 100).toFixed(1)} %` : "");

const labelOf = (phase: PhaseView, row: number): string => `${phase[PHASE.name]}${row === 0 && phase[PHASE.compile_id] ? ` ${phase[PHASE.compile_id]}` : ""}`;

/** What a bar is called: what is written on it comes first, so that who says it finds it. */
function describe(phase: PhaseView, row: number, all: number): string {
  const [, , time, , id, explanation] = phase;
  return [`${labelOf(phase, row)}: ${seconds(time)}, ${share(time, all)}`, row > 0 && id && `compilation ${id}`, explanation].filter(Boolean).join(". ");
}

function wholeOf(timeline: TimelineView): Window {
  const starts = timeline.phases.map((phase) => phase[PHASE.start]);
  const ends = timeline.phases.map((phase) => phase[PHASE.start] + phase[PHASE.seconds]);
  return { start: Math.min(...starts), end: Math.max(...ends) };
}

function Totals({ timeline }: { timeline: TimelineView }) {
  const rest = timeline.totals.length - MOST_TOTALS;
  const explanations = new Map(timeline.phases.map((phase) => [phase[PHASE.name], phase[PHASE.explanation]]));
  return (
    <Table class="dl-totals">
      <thead><tr><th scope="col">phase</th><th scope="col">own time</th><th scope="col">share</th></tr></thead>
      <tbody>
        {timeline.totals.slice(0, MOST_TOTALS).map(([name, time, share]) => (
          <tr key={name}>
            <th scope="row" title={explanations.get(name)}><i class={`dl-swatch dl-r${colourOf(name)}`} />{name}</th>
            <td>{seconds(time)}</td>
            <td><span class="dl-share"><i style={{ width: `${Math.min(100, share * 100)}%` }} /></span>{(share * 100).toFixed(1)} %</td>
          </tr>
        ))}
      </tbody>
      {rest > 0 && <tfoot><tr><td colSpan={3}>and {plural(rest, "phase")} of less time</td></tr></tfoot>}
    </Table>
  );
}

/** What a bar is, beside it: under the last row there is no room, so it stands above there. */
function Tip({ phase, bar, rows, all, id }: { phase: PhaseView; bar: Bar; rows: number; all: number; id: string }) {
  const [name, , time, , compile, explanation] = phase;
  const below = bar.row < rows / 2;
  const place = below ? { top: `${(bar.row + 1) * ROW + 2}px` } : { bottom: `${(rows - bar.row) * ROW + 4}px` };
  const side = bar.left < 0.5 ? { left: `${bar.left * 100}%` } : { right: `${Math.max(0, 1 - bar.left - bar.width) * 100}%` };
  return (
    <div class="dl-tip" role="tooltip" id={id} style={{ ...place, ...side }}>
      <b>{name}</b>
      <span>{seconds(time)}, {share(time, all)} of all{compile && <span class="dl-dim"> {"\u00b7"} compilation {compile}</span>}</span>
      {explanation && <span>{explanation}</span>}
    </div>
  );
}

function Axis({ window, origin }: { window: Window; origin: number }) {
  const span = window.end - window.start || 1;
  return (
    <div class="dl-axis" aria-hidden="true">
      {ticks(window, origin).map((t) => {
        const left = (t - window.start) / span;
        return <span key={t} class={left > 0.9 ? "is-last" : undefined} style={{ left: `${left * 100}%` }}>{seconds(t - origin)}</span>;
      })}
    </div>
  );
}

export function Timings() {
  const { timeline } = useModel().view;
  const zoom = useSignal<number | null>(null);
  const about = useSignal<number | null>(null);
  const cursor = useSignal(0);
  const width = useSignal(700);
  const box = useRef<HTMLDivElement>(null);
  const tip = useId();
  const { phases } = timeline;
  const rows = useMemo(() => rowsOf(phases), [phases]);
  const whole = useMemo(() => wholeOf(timeline), [phases]);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(() => (width.value = element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, [phases.length === 0]);
  if (phases.length === 0) {
    return <Empty title="No timings"><WhyNone>PyTorch reported no compile phases for this recording: nothing was compiled, or this release does not time it.</WhyNone></Empty>;
  }
  const zoomed = zoom.value === null ? undefined : phases[zoom.value];
  const window = zoomed ? { start: zoomed[PHASE.start], end: zoomed[PHASE.start] + zoomed[PHASE.seconds] } : whole;
  const depth = rows.reduce((most, row) => Math.max(most, row), 0) + 1;
  const drawn = bars(phases, rows, window);
  const told = about.value === null ? undefined : drawn.find((bar) => bar.index === about.value);
  // One stop of the Tab key for all bars; the arrows go on from there.
  const stop = drawn.find((bar) => bar.index === cursor.value) ?? drawn[0];
  const isNamed = (bar: Bar): boolean => bar.width * width.value >= LEAST_LABEL;
  const tell = (event: Event): void => {
    const bar = event.target instanceof Element ? event.target.closest("[data-phase]") : null;
    about.value = bar ? Number(bar.getAttribute("data-phase")) : null;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = neighbour(drawn, stop, event.key);
    if (!next) return;
    event.preventDefault();
    cursor.value = next.index;
    box.current?.querySelector<HTMLElement>(`[data-phase="${next.index}"]`)?.focus();
  };
  return (
    <div class="dl-scroll dl-timeline">
      <div class="dl-toolbar">
        <b>{seconds(timeline.seconds)}</b><span class="dl-dim">in all</span>
        {zoomed && <><span class="dl-dim">{"\u203a"}</span><b>{zoomed[PHASE.name]}</b><span class="dl-dim">{seconds(zoomed[PHASE.seconds])}, {share(zoomed[PHASE.seconds], timeline.seconds)}</span>
          <button type="button" class="dl-button" onClick={() => (zoom.value = null)}>Show all</button></>}
        <span class="dl-space" />
        <span class="dl-dim">Click a bar to look inside it.</span>
      </div>
      <Axis window={window} origin={whole.start} />
      <div
        class="dl-icicle" role="group" aria-label="Phases. Arrows move, Enter looks inside" ref={box} style={{ height: `${depth * ROW}px` }}
        onPointerOver={tell} onPointerLeave={() => (about.value = null)} onFocusIn={tell} onFocusOut={() => (about.value = null)} onKeyDown={onKeyDown}
      >
        {drawn.map((bar) => (
          <button
            key={bar.index} type="button" data-phase={bar.index} tabIndex={bar === stop ? 0 : -1}
            aria-label={describe(phases[bar.index], bar.row, timeline.seconds)} aria-describedby={bar === told ? tip : undefined}
            class={`dl-bar-phase dl-r${colourOf(phases[bar.index][PHASE.name])}${bar.index === zoom.value ? " is-cursor" : ""}${isNamed(bar) ? "" : " is-bare"}`}
            style={{ left: `${bar.left * 100}%`, width: `${bar.width * 100}%`, top: `${bar.row * ROW}px` }}
            onClick={() => {
              cursor.value = bar.index;
              zoom.value = zoom.value === bar.index ? null : bar.index;
            }}
          >
            {isNamed(bar) && labelOf(phases[bar.index], bar.row)}
          </button>
        ))}
        {told && <Tip id={tip} phase={phases[told.index]} bar={told} rows={depth} all={timeline.seconds} />}
      </div>
      <Totals timeline={timeline} />
      {timeline.parallel.length > 0 && (
        <p class="dl-dim">In parallel, in other threads: {timeline.parallel.slice(0, 6).map(([name, time]) => `${name} ${seconds(time)}`).join(", ")}</p>
      )}
      <Costs tables={timeline.costs} />
      <Caches caches={timeline.caches} warm={timeline.warm_start} />
      <Memory memory={timeline.memory} />
    </div>
  );
}
