// A list that draws only the rows in sight, walked with j and k or the arrows. It is a grid of one column to a
// screen reader: rows hold links, which the options of a list box may not.
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useReducer, useRef } from "preact/hooks";
import { useStore } from "../core/context";
import { isDrawn, type Range, scrollToMiddle, scrollToShow, visibleRange } from "./virtual";

export interface VirtualListProps {
  readonly label: string;
  readonly count: number;
  readonly row: number;
  readonly class?: string;
  entity(index: number): string;
  rowClass?(index: number): string;
  /** What a row shows: kept for the rows in sight as long as this is the same function. */
  renderRow(index: number): ComponentChildren;
  /** What Enter and a click do beside pinning. */
  onChoose?(index: number): void;
  /** The row to bring into sight; a new tick scrolls again. */
  readonly show?: { readonly index: number; readonly tick: number };
  /** Brings it to the middle, and not only into sight. */
  readonly isCentred?: boolean;
  /** A click's own work: without pinning by the pointer's rule. */
  readonly current?: number;
}

const STEPS: Readonly<Record<string, number>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };

/** Where a list stands. No signals: what is asked for is drawn in its place in the render that learns of it. */
interface Standing {
  /** Where it is to be scrolled to, and where it is. */
  top: number;
  scrolled: number;
  /** Null until it is known. */
  height: number | null;
  cursor: number;
  /** The tick that was answered. */
  asked: number | undefined;
  /** The rows that are drawn. */
  drawn: Range;
}

/** Until the height is known as much is drawn as mostly fits. */
const USUAL_HEIGHT = 600;

/** The contents of the rows that are drawn: one that stays the same is not compared anew. */
class Contents {
  private of: VirtualListProps["renderRow"] | null = null;
  private drawn: ReadonlyMap<number, ComponentChildren> = new Map();

  /** Those of a range. */
  take({ renderRow }: VirtualListProps, { first, end }: Range): ReadonlyMap<number, ComponentChildren> {
    const before = this.of === renderRow ? this.drawn : null;
    const drawn = new Map<number, ComponentChildren>();
    for (let i = first; i < end; i++) {
      drawn.set(i, before?.get(i) ?? <div role="gridcell" class="dl-row-cell">{renderRow(i)}</div>);
    }
    this.of = renderRow;
    this.drawn = drawn;
    return drawn;
  }
}

export function VirtualList(props: VirtualListProps) {
  const { count, row, show } = props;
  const store = useStore();
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const kept = useRef(new Contents()).current;
  const at = useRef<Standing>({ top: 0, scrolled: 0, height: null, cursor: -1, asked: undefined, drawn: { first: 0, end: 0 } }).current;
  const [, redraw] = useReducer((times: number, _: null) => times + 1, 0);
  const reach = (index: number): void => {
    const { count, row, isCentred } = latest.current;
    if (at.height === null || index < 0) return;
    const to = isCentred ? scrollToMiddle(index, row, at.height) : scrollToShow(index, row, at.top, at.height);
    at.top = Math.min(to, Math.max(0, count * row - at.height));
  };
  /** Where it is there already, this would only lay out the page once more. */
  const scroll = (): void => {
    if (!scroller.current || at.scrolled === at.top) return;
    scroller.current.scrollTop = at.top;
    at.scrolled = at.top;
  };

  if (show && show.tick !== at.asked) {
    at.asked = show.tick;
    if (show.index >= 0) at.cursor = show.index;
    reach(show.index);
  }
  useLayoutEffect(scroll, [show?.tick]);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    // it tells the height before the first picture, too; to ask for it here would lay out the page once more
    const observer = new ResizeObserver(() => {
      const isFirst = at.height === null;
      if (at.height === element.clientHeight) return;
      at.height = element.clientHeight;
      if (isFirst) reach(latest.current.show?.index ?? -1);
      scroll();
      // mostly those that were drawn for the usual height are enough
      const { count, row } = latest.current;
      if (!isDrawn(at.drawn, count, row, at.top, at.height)) redraw(null);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const height = at.height ?? USUAL_HEIGHT;
  const move = (to: number): void => {
    at.cursor = Math.max(0, Math.min(count - 1, to));
    store.hover.value = props.entity(at.cursor);
    reach(at.cursor);
    scroll();
    redraw(null);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || count === 0) return;
    const page = Math.max(1, Math.floor(height / row) - 1);
    const { cursor } = at;
    if (event.key in STEPS) move(cursor < 0 ? range.first + 6 * Number(range.first > 0) : cursor + STEPS[event.key]);
    else if (event.key === "PageDown") move(cursor + page);
    else if (event.key === "PageUp") move(cursor - page);
    else if (event.key === "Home") move(0);
    else if (event.key === "End") move(count - 1);
    else if ((event.key === "Enter" || event.key === " ") && cursor >= 0 && cursor < count) {
      props.onChoose?.(cursor);
      if (props.entity(cursor)) store.togglePin(props.entity(cursor));
    } else return;
    event.preventDefault();
  };
  const onClick = (event: MouseEvent): void => {
    const found = event.target instanceof Element ? event.target.closest("[data-index]") : null;
    if (!found) return;
    at.cursor = Number(found.getAttribute("data-index"));
    props.onChoose?.(at.cursor);
    redraw(null);
  };

  const range = visibleRange(count, row, Math.min(at.top, Math.max(0, count * row - height)), height);
  at.drawn = range;
  const contents = kept.take(props, range);
  const rows = [];
  for (let i = range.first; i < range.end; i++) {
    rows.push(
      <div
        key={i}
        id={`${id}-${i}`}
        role="row"
        aria-rowindex={i + 1}
        aria-selected={i === (props.current ?? at.cursor)}
        class={`dl-row ${props.rowClass?.(i) ?? ""}${i === at.cursor ? " is-cursor" : ""}`}
        style={{ height: `${row}px` }}
        data-index={i}
        data-entity={props.entity(i) || undefined}
      >
        {contents.get(i)}
      </div>,
    );
  }
  return (
    <div
      ref={scroller}
      class={`dl-list ${props.class ?? ""}`}
      role="grid"
      aria-rowcount={count}
      tabIndex={0}
      aria-label={props.label}
      aria-activedescendant={at.cursor >= range.first && at.cursor < range.end ? `${id}-${at.cursor}` : undefined}
      onScroll={({ currentTarget: { scrollTop } }) => {
        at.scrolled = scrollTop;
        if (scrollTop === at.top) return;
        at.top = scrollTop;
        redraw(null);
      }}
      onKeyDown={onKeyDown}
      onClick={onClick}
    >
      <div class="dl-list-all" role="presentation" style={{ height: `${count * row}px` }}>
        <div role="presentation" style={{ transform: `translateY(${range.first * row}px)` }}>{rows}</div>
      </div>
    </div>
  );
}
