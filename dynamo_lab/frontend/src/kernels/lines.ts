// The lines that a kernel came from.
import type { Model } from "../core/model";
import type { Place } from "../core/places";

/** In its own recording. */
export function kernelLines({ kin, view }: Model, id: number): Place[] {
  const vertex = kin.vertex("kernel", id);
  if (vertex < 0) return [];
  const mask = kin.kin([vertex]);
  return view.sources.flatMap((source) => source.lines.filter(([line]) => mask[kin.vertex("line", source.id, line)] === 1).map(([line]): Place => [source.id, line]));
}
