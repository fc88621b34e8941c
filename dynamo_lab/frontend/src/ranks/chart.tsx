// The lanes of a job: a row a rank, time across. Point at a collective and it is lit on all ranks; drag to look closer.
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { useMounted, usePart } from "../core/context";
import type { CollectivesView } from "../core/types.generated";
import { seconds } from "../core/words";
import { ticks, type Window } from "../ui/icicle";
import { afterDrawing } from "../ui/after-drawing";
import { cleared, coloursOf, drawLanes, drawMeeting } from "./draw";
import { arrivalsOf, askerOf, lanesOf, nearest, timeOf, xOf } from "./lanes";
import { ranksState } from "./state";

/** A drag shorter than this is a click. */
const LEAST_DRAG = 6;

interface Props {
  readonly view: CollectivesView;
  readonly shown: Window;
  /** The collective that is looked at. */
  readonly lit: number | null;
}

function Labels({ view, height }: { view: CollectivesView; height: number }) {
  const isTold = (label: string): boolean => height >= 14 || Number(label.replace(/\D/g, "")) % 8 === 0;
  return <ol class="dl-lane-labels" aria-hidden="true">{view.labels.map((label) => <li key={label} style={{ height: `${height}px` }}>{isTold(label) ? label : ""}</li>)}</ol>;
}

export function Chart({ view, shown, lit }: Props) {
  const { store, root } = useMounted();
  const { meeting, isHeld, shown: chosen } = usePart(ranksState);
  const frame = useRef<HTMLDivElement>(null);
  const base = useRef<HTMLCanvasElement>(null);
  const over = useRef<HTMLCanvasElement>(null);
  const width = useSignal(800);
  const scheme = useSignal(root.dataset.scheme);
  const drag = useSignal<readonly [number, number] | null>(null);
  const drawn = useMemo(() => afterDrawing(), []);
  const arrivals = useMemo(() => arrivalsOf(view), [view]);
  const colours = useMemo(() => coloursOf(root), [scheme.value]);
  const lanes = lanesOf(view.labels.length, width.value);
  const labels = useMemo(() => <Labels view={view} height={lanes.rowHeight} />, [view, lanes.rowHeight]);

  useLayoutEffect(() => {
    const resized = new ResizeObserver(() => { width.value = frame.current?.clientWidth || width.value; });
    if (frame.current) resized.observe(frame.current);
    const dressed = new MutationObserver(() => { scheme.value = root.dataset.scheme; });
    dressed.observe(root, { attributes: true, attributeFilter: ["data-scheme"] });
    return () => { resized.disconnect(); dressed.disconnect(); drawn.never(); };
  }, []);
  useLayoutEffect(() => {
    const context = base.current && cleared(base.current, lanes);
    if (context) drawLanes(context, view, lanes, shown, colours);
  }, [view, width.value, shown.start, shown.end, scheme.value]);
  useLayoutEffect(() => {
    const context = over.current && cleared(over.current, lanes);
    if (context && lit !== null) drawMeeting(context, view, lit, lanes, shown, colours);
  }, [view, lit, width.value, shown.start, shown.end, scheme.value]);

  /** Lights a collective, and once that is drawn its line: over many in a row, only that of the last. */
  const look = (next: number | null): void => {
    meeting.value = next;
    const label = store.source.recordings.shown.peek()?.label ?? "";
    const asker = next === null ? null : askerOf(view, next, label);
    drawn.soon(() => { store.hover.value = asker?.label === label ? asker.line : ""; });
  };
  const place = (event: PointerEvent): { x: number; rank: number } => {
    const box = over.current?.getBoundingClientRect();
    const x = event.clientX - (box?.left ?? 0);
    return { x, rank: Math.floor((event.clientY - (box?.top ?? 0)) / lanes.rowHeight) };
  };
  const move = (event: PointerEvent): void => {
    const { x, rank } = place(event);
    if (drag.value) drag.value = [drag.value[0], x];
    else if (!isHeld.value) look(nearest(arrivals[rank] ?? [], timeOf(x, shown, lanes.width))?.meeting ?? null);
  };
  const press = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    const { x } = place(event);
    drag.value = [x, x];
    over.current?.setPointerCapture(event.pointerId);
  };
  const release = (event: PointerEvent): void => {
    const [from, to] = drag.value ?? [0, 0];
    drag.value = null;
    if (Math.abs(to - from) >= LEAST_DRAG) {
      const [start, end] = [Math.min(from, to), Math.max(from, to)].map((x) => timeOf(Math.max(0, Math.min(lanes.width, x)), shown, lanes.width));
      chosen.value = { start, end };
      return;
    }
    const { x, rank } = place(event);
    const found = nearest(arrivals[rank] ?? [], timeOf(x, shown, lanes.width))?.meeting ?? null;
    isHeld.value = found !== null && !(isHeld.value && found === meeting.value);
    look(found);
  };
  const key = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step !== undefined) {
      const next = (lit ?? (step > 0 ? -1 : view.meetings.length)) + step;
      if (next >= 0 && next < view.meetings.length) look(next);
      isHeld.value = true;
    } else if (event.key === "Escape" && meeting.value !== null) {
      isHeld.value = false;
      look(null);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const selected = drag.value && { left: Math.min(...drag.value), width: Math.abs(drag.value[1] - drag.value[0]) };
  return (
    <div class="dl-lanes" data-own>
      {labels}
      <div
        class="dl-lane-frame" ref={frame} tabIndex={0} role="application" aria-roledescription="lanes of ranks" aria-label="Lanes of ranks; left and right arrows go through the collectives"
        style={{ height: `${lanes.height}px` }} onKeyDown={key}
      >
        <canvas ref={base} />
        <canvas ref={over} onPointerMove={move} onPointerDown={press} onPointerUp={release} onPointerLeave={() => { if (!isHeld.value && !drag.value) look(null); }} />
        {selected && <i class="dl-lane-drag" style={{ left: `${selected.left}px`, width: `${selected.width}px` }} />}
      </div>
      <div class="dl-lane-axis" aria-hidden="true">
        {ticks(shown, 0, 6).map((time) => <span key={time} style={{ left: `${xOf(time, shown, lanes.width)}px` }}>{seconds(time)}</span>)}
      </div>
    </div>
  );
}
