// The bar between code and tabs, and the handle under a widget. Both move by pointer and arrows.
import { useRef } from "preact/hooks";

const clamp = (value: number, low: number, high: number): number => Math.max(low, Math.min(high, value));

/** Calls `onMove` with the pointer's place until it is let go. */
function drag(event: PointerEvent, onMove: (event: PointerEvent) => void): void {
  const bar = event.currentTarget as HTMLElement;
  bar.setPointerCapture(event.pointerId);
  const done = (): void => {
    bar.removeEventListener("pointermove", onMove);
    bar.removeEventListener("pointerup", done);
    bar.removeEventListener("pointercancel", done);
  };
  bar.addEventListener("pointermove", onMove);
  bar.addEventListener("pointerup", done);
  bar.addEventListener("pointercancel", done);
  event.preventDefault();
}

export function Splitter() {
  const share = useRef(0.4);
  const set = (bar: HTMLElement, value: number): void => {
    share.current = clamp(value, 0.15, 0.8);
    bar.parentElement?.style.setProperty("--dl-split", `${(share.current * 100).toFixed(1)}%`);
    bar.setAttribute("aria-valuenow", String(Math.round(share.current * 100)));
  };
  const onPointerDown = (event: PointerEvent): void => {
    const bar = event.currentTarget as HTMLElement;
    drag(event, (moved) => {
      const box = bar.parentElement?.getBoundingClientRect();
      if (!box) return;
      const stacked = bar.offsetWidth > bar.offsetHeight;
      set(bar, stacked ? (moved.clientY - box.top) / box.height : (moved.clientX - box.left) / box.width);
    });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowLeft: -0.03, ArrowUp: -0.03, ArrowRight: 0.03, ArrowDown: 0.03 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    set(event.currentTarget as HTMLElement, share.current + step);
  };
  return (
    <div
      class="dl-splitter" role="separator" tabIndex={0} aria-label="Width of your code"
      aria-valuenow={40} aria-valuemin={15} aria-valuemax={80}
      onPointerDown={onPointerDown} onKeyDown={onKeyDown}
    />
  );
}

export function useHeight(host: "widget" | "page") {
  const frame = useRef<HTMLDivElement>(null);
  const grow = (to: number): void => {
    if (frame.current) frame.current.style.height = `${clamp(to, 320, 2400)}px`;
  };
  const onPointerDown = (event: PointerEvent): void => {
    const start = (frame.current?.offsetHeight ?? 0) - event.clientY;
    drag(event, (moved) => grow(start + moved.clientY));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowUp: -40, ArrowDown: 40 }[event.key];
    if (step === undefined || !frame.current) return;
    event.preventDefault();
    grow(frame.current.offsetHeight + step);
  };
  const handle = host === "widget" && (
    <div
      class="dl-handle" role="separator" aria-orientation="horizontal" tabIndex={0} aria-label="Height of this view"
      onPointerDown={onPointerDown} onKeyDown={onKeyDown}
    />
  );
  return { frame, handle };
}
