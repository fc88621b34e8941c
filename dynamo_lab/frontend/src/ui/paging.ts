// Pages of a list whose items differ in height: only one page is drawn.

export const PAGE = 50;

export interface Page {
  readonly first: number;
  readonly end: number;
}

/** The page around `start`, which may lie outside of a list that has become shorter. */
export function pageAt(count: number, start: number, size = PAGE): Page {
  const last = Math.max(0, Math.floor((count - 1) / size) * size);
  const first = Math.max(0, Math.min(last, Math.floor(start / size) * size));
  return { first, end: Math.min(count, first + size) };
}

/** A choice among thousands takes a browser seconds: these are the ones around what is shown, from the first up to the end. */
export function around(count: number, shown: number, most = 200): Page {
  const first = Math.max(0, Math.min(shown - most / 2, count - most));
  return { first, end: Math.min(count, first + most) };
}
