// The bars between panes, and the handle under a widget. They move by pointer and arrows, and are kept.
import { useLayoutEffect, useRef } from "preact/hooks";
import { keepSize, keptSize, type Sized } from "./sizes";

const clamp = (value: number, low: number, high: number): number => Math.max(low, Math.min(high, value));

/** Calls `onMove` with the pointer's place until it is let go, then `onEnd`. */
function drag(event: PointerEvent, onMove: (event: PointerEvent) => void, onEnd: () => void): void {
  const bar = event.currentTarget as HTMLElement;
  bar.setPointerCapture(event.pointerId);
  const done = (): void => {
    bar.removeEventListener("pointermove", onMove);
    bar.removeEventListener("pointerup", done);
    bar.removeEventListener("pointercancel", done);
    onEnd();
  };
  bar.addEventListener("pointermove", onMove);
  bar.addEventListener("pointerup", done);
  bar.addEventListener("pointercancel", done);
  event.preventDefault();
}

interface SplitterProps {
  readonly name: Sized;
  readonly label: string;
  /** What the grid around it takes its first track's size from. */
  readonly variable: string;
  /** Percent, as the style sheet has it where nobody moved the bar. */
  readonly start: number;
}

const LEAST = 12;
const MOST = 80;

/** A bar between the two panes beside it, which share the room in percent. */
export function Splitter({ name, label, variable, start }: SplitterProps) {
  const bar = useRef<HTMLDivElement>(null);
  const share = useRef(keptSize(name, LEAST, MOST) ?? start);
  const isMoved = useRef(keptSize(name, LEAST, MOST) !== undefined);
  const set = (value: number): void => {
    share.current = clamp(value, LEAST, MOST);
    isMoved.current = true;
    bar.current?.parentElement?.style.setProperty(variable, `${share.current.toFixed(1)}%`);
    bar.current?.setAttribute("aria-valuenow", String(Math.round(share.current)));
  };
  const keep = (): void => keepSize(name, share.current);
  useLayoutEffect(() => {
    if (isMoved.current) set(share.current);
  }, []);
  const onPointerDown = (event: PointerEvent): void => {
    const here = event.currentTarget as HTMLElement;
    drag(event, (moved) => {
      const box = here.parentElement?.getBoundingClientRect();
      if (!box) return;
      const isStacked = here.offsetWidth > here.offsetHeight;
      set(100 * (isStacked ? (moved.clientY - box.top) / box.height : (moved.clientX - box.left) / box.width));
    }, keep);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowLeft: -3, ArrowUp: -3, ArrowRight: 3, ArrowDown: 3 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    set(share.current + step);
    keep();
  };
  return (
    <div
      ref={bar} class="dl-splitter" role="separator" tabIndex={0} aria-label={label}
      aria-valuenow={Math.round(share.current)} aria-valuemin={LEAST} aria-valuemax={MOST}
      onPointerDown={onPointerDown} onKeyDown={onKeyDown}
    />
  );
}

const LOWEST = 320;
const HIGHEST = 2400;

export function useHeight(host: "widget" | "page") {
  const frame = useRef<HTMLDivElement>(null);
  const grow = (to: number): void => {
    if (frame.current) frame.current.style.height = `${clamp(to, LOWEST, HIGHEST)}px`;
  };
  const keep = (): void => {
    if (frame.current) keepSize("height", frame.current.offsetHeight);
  };
  useLayoutEffect(() => {
    const kept = host === "widget" ? keptSize("height", LOWEST, HIGHEST) : undefined;
    if (kept !== undefined) grow(kept);
  }, []);
  const onPointerDown = (event: PointerEvent): void => {
    const start = (frame.current?.offsetHeight ?? 0) - event.clientY;
    drag(event, (moved) => grow(start + moved.clientY), keep);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowUp: -40, ArrowDown: 40 }[event.key];
    if (step === undefined || !frame.current) return;
    event.preventDefault();
    grow(frame.current.offsetHeight + step);
    keep();
  };
  const handle = host === "widget" && (
    <div
      class="dl-handle" role="separator" aria-orientation="horizontal" tabIndex={0} aria-label="Height of this view"
      aria-valuemin={LOWEST} aria-valuemax={HIGHEST} aria-valuenow={600}
      onPointerDown={onPointerDown} onKeyDown={onKeyDown}
    />
  );
  return { frame, handle };
}
