// The arithmetic of a list that draws only the rows in sight. All rows have one height.

export interface Range {
  readonly first: number;
  readonly end: number;
}

const OVERSCAN = 6;

/** The rows to draw: those in sight and a few around them, so that a small scroll shows no gap. */
export function visibleRange(count: number, row: number, top: number, height: number): Range {
  const first = Math.max(0, Math.floor(top / row) - OVERSCAN);
  const end = Math.min(count, Math.ceil((top + height) / row) + OVERSCAN);
  return { first: Math.min(first, count), end: Math.max(end, Math.min(first, count)) };
}

/** Whether all rows in sight are among those that were drawn. */
export function isDrawn({ first, end }: Range, count: number, row: number, top: number, height: number): boolean {
  return first <= Math.floor(top / row) && end >= Math.min(count, Math.ceil((top + height) / row));
}

/** Where to scroll so that `index` is in sight; `top` unchanged if it is already. */
export function scrollToShow(index: number, row: number, top: number, height: number): number {
  const start = index * row;
  if (start >= top && start + row <= top + height) return top;
  // Far away: to the middle, so that its neighbours can be read. Near: the least move.
  const far = start < top - height || start > top + 2 * height;
  if (far) return scrollToMiddle(index, row, height);
  return start < top ? start : Math.max(0, start + row - height);
}

/** Where to scroll so that `index` is in the middle. */
export function scrollToMiddle(index: number, row: number, height: number): number {
  return Math.max(0, index * row - (height - row) / 2);
}

/** The first of the ascending `indices` after `from` (or before it), around the ends. */
export function nextOf(indices: readonly number[], from: number, step: 1 | -1): number {
  if (indices.length === 0) return -1;
  if (step === 1) return indices.find((i) => i > from) ?? indices[0];
  return indices.findLast((i) => i < from) ?? indices[indices.length - 1];
}
