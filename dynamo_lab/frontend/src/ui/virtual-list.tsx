// A list that draws only the rows in sight, walked with j and k or the arrows. It is a grid of one column to a
// screen reader: rows hold links, which the options of a list box may not.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { useStore } from "../core/context";
import { scrollToShow, visibleRange } from "./virtual";

export interface VirtualListProps {
  readonly label: string;
  readonly count: number;
  readonly row: number;
  readonly class?: string;
  entity(index: number): string;
  rowClass?(index: number): string;
  renderRow(index: number): ComponentChildren;
  /** What Enter and a click do beside pinning. */
  onChoose?(index: number): void;
  /** The row to bring into sight; a new tick scrolls again. */
  readonly show?: { readonly index: number; readonly tick: number };
  /** A click's own work: without pinning by the pointer's rule. */
  readonly current?: number;
}

const STEPS: Readonly<Record<string, number>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };

export function VirtualList(props: VirtualListProps) {
  const { count, row } = props;
  const store = useStore();
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const height = useSignal(600);
  const cursor = useSignal(-1);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    // it tells the height before the first picture, too; to ask for it here would lay out the page once more
    const observer = new ResizeObserver(() => (height.value = element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const scrollTo = (index: number): void => {
    const element = scroller.current;
    if (!element || index < 0) return;
    element.scrollTop = scrollToShow(index, row, element.scrollTop, element.clientHeight);
    top.value = element.scrollTop;
  };
  useLayoutEffect(() => {
    if (!props.show || props.show.index < 0) return;
    cursor.value = props.show.index;
    scrollTo(props.show.index);
  }, [props.show?.tick]);

  const move = (to: number): void => {
    cursor.value = Math.max(0, Math.min(count - 1, to));
    store.hover.value = props.entity(cursor.value);
    scrollTo(cursor.value);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || count === 0) return;
    const page = Math.max(1, Math.floor(height.value / row) - 1);
    const at = cursor.value;
    if (event.key in STEPS) move(at < 0 ? range.first + 6 * Number(range.first > 0) : at + STEPS[event.key]);
    else if (event.key === "PageDown") move(at + page);
    else if (event.key === "PageUp") move(at - page);
    else if (event.key === "Home") move(0);
    else if (event.key === "End") move(count - 1);
    else if ((event.key === "Enter" || event.key === " ") && at >= 0 && at < count) {
      props.onChoose?.(at);
      if (props.entity(at)) store.togglePin(props.entity(at));
    } else return;
    event.preventDefault();
  };
  const onClick = (event: MouseEvent): void => {
    const found = event.target instanceof Element ? event.target.closest("[data-index]") : null;
    if (!found) return;
    cursor.value = Number(found.getAttribute("data-index"));
    props.onChoose?.(cursor.value);
  };

  const range = visibleRange(count, row, Math.min(top.value, Math.max(0, count * row - height.value)), height.value);
  const rows = [];
  for (let i = range.first; i < range.end; i++) {
    rows.push(
      <div
        key={i}
        id={`${id}-${i}`}
        role="row"
        aria-rowindex={i + 1}
        aria-selected={i === (props.current ?? cursor.value)}
        class={`dl-row ${props.rowClass?.(i) ?? ""}${i === cursor.value ? " is-cursor" : ""}`}
        style={{ height: `${row}px` }}
        data-index={i}
        data-entity={props.entity(i) || undefined}
      >
        <div role="gridcell" class="dl-row-cell">{props.renderRow(i)}</div>
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
      aria-activedescendant={cursor.value >= range.first && cursor.value < range.end ? `${id}-${cursor.value}` : undefined}
      onScroll={(event) => (top.value = event.currentTarget.scrollTop)}
      onKeyDown={onKeyDown}
      onClick={onClick}
    >
      <div class="dl-list-all" role="presentation" style={{ height: `${count * row}px` }}>
        <div role="presentation" style={{ transform: `translateY(${range.first * row}px)` }}>{rows}</div>
      </div>
    </div>
  );
}
