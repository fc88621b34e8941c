// Sizes that the reader gave to parts of the view: the browser keeps them for the next one.

const KEY = "dynamo_lab.sizes";

export type Sized = "height" | "code" | "kernels" | "assembly" | "playground";

function known(): Readonly<Record<string, unknown>> {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return typeof found === "object" && found !== null ? (found as Record<string, unknown>) : {};
  } catch {
    return {}; // a page of a file may be refused its storage; what others wrote there may be anything
  }
}

/** The size that was kept, between two bounds; undefined where none was. */
export function keptSize(name: Sized, low: number, high: number): number | undefined {
  const found = known()[name];
  return typeof found === "number" && Number.isFinite(found) ? Math.max(low, Math.min(high, found)) : undefined;
}

export function keepSize(name: Sized, size: number): void {
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...known(), [name]: size }));
  } catch {
    // then it lasts as long as this view
  }
}
