// Pan and zoom: drag, two fingers, Ctrl+wheel, buttons, arrows, plus and minus, 0 to fit.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { useMounted } from "../core/context";

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** What is to be seen where not all fits: in the middle, or at the top. */
export interface Focus extends Point {
  readonly isTop: boolean;
}

interface CanvasProps {
  readonly focus: Focus;
  readonly width: number;
  readonly height: number;
  /** How far the drawing moved since the last one; null fits it anew. */
  readonly shift: Point | null;
  readonly children: ComponentChildren;
}

interface Place {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

const LEAST = 0.1;
const MOST = 3;

/** Smaller than this, labels cannot be read: what does not fit is reached by dragging. */
const READABLE = 0.55;
const COMFORTABLE = 0.75;

/** Shows all of a drawing, or as much around `focus` as can be read. */
export function fit(width: number, height: number, boxWidth: number, boxHeight: number, focus: Focus): Place {
  const margin = 16;
  const scale = Math.min(1.15, (boxWidth - margin) / width, (boxHeight - margin) / height);
  const readable = Math.max(LEAST, scale, Math.min(COMFORTABLE, Math.max(READABLE, (boxWidth - margin) / width)));
  // Along an axis where it fits it is centred; else the focus is, as far as there is something to show.
  const along = (size: number, box: number, at: number, to: number): number => {
    const whole = size * readable;
    if (whole <= box - margin) return (box - whole) / 2;
    return Math.min(margin / 2, Math.max(box - whole - margin / 2, to - at * readable));
  };
  const to = focus.isTop ? margin / 2 : boxHeight / 2;
  return { x: along(width, boxWidth, focus.x, boxWidth / 2), y: along(height, boxHeight, focus.y, to), scale: readable };
}

export function zoomAt(place: Place, x: number, y: number, factor: number): Place {
  const scale = Math.max(LEAST, Math.min(MOST, place.scale * factor));
  const ratio = scale / place.scale;
  return { scale, x: x - (x - place.x) * ratio, y: y - (y - place.y) * ratio };
}

const middle = (points: readonly Point[]): Point => ({
  x: points.reduce((sum, { x }) => sum + x, 0) / points.length,
  y: points.reduce((sum, { y }) => sum + y, 0) / points.length,
});

/** The place after a finger, or two, went from some points of the box to others: what was under them stays there. */
export function carried(place: Place, from: readonly Point[], to: readonly Point[]): Place {
  const [start, end] = [middle(from), middle(to)];
  const apart = ([a, b]: readonly Point[]): number => Math.max(1, Math.hypot(a.x - b.x, a.y - b.y));
  const { x, y, scale } = from.length < 2 ? place : zoomAt(place, start.x, start.y, apart(to) / apart(from));
  return { scale, x: x + end.x - start.x, y: y + end.y - start.y };
}

/** Where in an element a pointer is. */
function pointIn(element: Element, { clientX, clientY }: PointerEvent): Point {
  const { left, top } = element.getBoundingClientRect();
  return { x: clientX - left, y: clientY - top };
}

/** So much of a drawing stays in sight, however far it is dragged. */
const SEEN = 60;

/** The place, moved no farther than a part of the drawing can be seen. */
export function bounded(place: Place, width: number, height: number, boxWidth: number, boxHeight: number): Place {
  const along = (at: number, size: number, box: number): number => {
    const seen = Math.min(SEEN, size * place.scale, box);
    return Math.max(seen - size * place.scale, Math.min(box - seen, at));
  };
  return { ...place, x: along(place.x, width, boxWidth), y: along(place.y, height, boxHeight) };
}

export function Canvas({ width, height, focus, shift, children }: CanvasProps) {
  const { host } = useMounted();
  const box = useRef<HTMLDivElement>(null);
  const place = useSignal<Place>({ x: 0, y: 0, scale: 1 });

  const put = (next: Place): void => {
    const element = box.current;
    place.value = element ? bounded(next, width, height, element.clientWidth, element.clientHeight) : next;
  };
  const pan = (dx: number, dy: number): void => put({ ...place.value, x: place.value.x + dx, y: place.value.y + dy });
  const reset = (): void => {
    const element = box.current;
    if (element) place.value = fit(width, height, element.clientWidth, element.clientHeight, focus);
  };
  useLayoutEffect(() => {
    if (shift) pan(shift.x * place.peek().scale, shift.y * place.peek().scale);
    else reset();
  }, [width, height, shift]);

  const zoom = (factor: number, x?: number, y?: number): void => {
    const element = box.current;
    if (!element) return;
    put(zoomAt(place.value, x ?? element.clientWidth / 2, y ?? element.clientHeight / 2, factor));
  };
  // the listener below lives as long as the element: the drawing that it moves changes
  const [zoomTo, panBy] = [useRef(zoom), useRef(pan)];
  [zoomTo.current, panBy.current] = [zoom, pan];
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    // Not as a JSX prop: there it could not be told to be active, and the page would scroll too.
    const onWheel = (event: WheelEvent): void => {
      if (event.ctrlKey || event.metaKey) {
        const at = element.getBoundingClientRect();
        zoomTo.current(Math.exp(-event.deltaY * 0.01), event.clientX - at.left, event.clientY - at.top);
      } else if (host === "page") panBy.current(-event.deltaX, -event.deltaY);
      else return; // the notebook scrolls: a wheel that a diagram takes for itself is a trap
      event.preventDefault();
    };
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => element.removeEventListener("wheel", onWheel);
  }, []);

  // The fingers on it, or the mouse; what they were and where the drawing was when the last of them came or went.
  const held = useRef({ fingers: new Map<number, Point>(), from: [] as readonly Point[], at: place.peek(), moved: false }).current;
  const anchor = (): void => {
    held.from = [...held.fingers.values()];
    held.at = place.peek();
  };
  const onPointerDown = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    const element = event.currentTarget as HTMLElement;
    const { ownerDocument: whole } = element; // a quick hand is outside with its first move, and may let go there
    const { pointerId: id } = event;
    const from = pointIn(element, event);
    if (held.fingers.size === 0) held.moved = false;
    held.fingers.set(id, from);
    anchor();
    const onMove = (next: PointerEvent): void => {
      if (next.pointerId !== id) return;
      const to = pointIn(element, next);
      if (!held.moved && Math.hypot(to.x - from.x, to.y - from.y) < 4) return;
      if (!element.hasPointerCapture(id)) element.setPointerCapture(id);
      held.moved = true;
      held.fingers.set(id, to);
      put(carried(held.at, held.from, [...held.fingers.values()]));
    };
    const onUp = (next: PointerEvent): void => {
      if (next.pointerId !== id) return;
      whole.removeEventListener("pointermove", onMove, true);
      whole.removeEventListener("pointerup", onUp, true);
      whole.removeEventListener("pointercancel", onUp, true);
      held.fingers.delete(id);
      anchor();
    };
    whole.addEventListener("pointermove", onMove, true);
    whole.addEventListener("pointerup", onUp, true);
    whole.addEventListener("pointercancel", onUp, true);
  };
  // A mouse's drag ends in a click on whatever lies under it: that one is not meant. A finger's ends in none.
  const onClickCapture = (event: MouseEvent): void => {
    if (held.moved && event.detail > 0) event.stopPropagation(); // 0 is a key's
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const steps: Readonly<Record<string, () => void>> = {
      "+": () => zoom(1.25), "=": () => zoom(1.25), "-": () => zoom(0.8), "0": reset,
      ArrowLeft: () => pan(60, 0), ArrowRight: () => pan(-60, 0), ArrowUp: () => pan(0, 60), ArrowDown: () => pan(0, -60),
    };
    const act = steps[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    act();
    event.preventDefault();
  };
  const { x, y, scale } = place.value;
  return (
    <div class="dl-canvas" ref={box} tabIndex={0} role="group" aria-label="Diagram. Drag or arrows move it; plus, minus, two fingers or Ctrl and the wheel zoom" onPointerDown={onPointerDown} onClickCapture={onClickCapture} onKeyDown={onKeyDown}>
      <svg width="100%" height="100%">
        <g transform={`translate(${x.toFixed(2)} ${y.toFixed(2)}) scale(${scale.toFixed(4)})`}>{children}</g>
      </svg>
      <div class="dl-zoom">
        <button type="button" class="dl-icon" aria-label="Zoom in" onClick={() => zoom(1.25)}>+</button>
        <button type="button" class="dl-icon" aria-label="Zoom out" onClick={() => zoom(0.8)}>{"\u2212"}</button>
        <button type="button" class="dl-icon dl-fit" aria-label="Fit" onClick={reset}>fit</button>
      </div>
    </div>
  );
}
