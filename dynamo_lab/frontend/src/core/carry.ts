// What is chosen in one recording, found again in another of the same program.
import { lineEntity, parseEntity } from "./entities";
import type { Model } from "./model";
import type { Place } from "./places";
import type { Part } from "./state";

/** The source of the same path. */
export function carrySource(id: number | null, from: Model, to: Model): number | null {
  if (id === null) return null;
  const path = from.sources.get(id)?.path;
  return to.view.sources.find((source) => source.path === path)?.id ?? null;
}

/** The line of the same source; null where it was not recorded. */
export function carryLine(place: Place | null, from: Model, to: Model): Place | null {
  const source = carrySource(place?.[0] ?? null, from, to);
  return place && source !== null && to.sources.line(source, place[1]) ? [source, place[1]] : null;
}

/** The same as an entity; empty for none. */
export function carryToLine(place: Place | null | undefined, from: Model, to: Model): string {
  const found = carryLine(place ?? null, from, to);
  return found ? lineEntity(...found) : "";
}

/** The entity that means the same, as the part says that it belongs to; empty for none. */
export function carry(parts: readonly Part[], text: string, from: Model, to: Model): string {
  const entity = parseEntity(text);
  const part = entity && parts.find(({ kinds }) => kinds?.[entity.kind]?.carry);
  return (entity && part?.kinds?.[entity.kind]?.carry?.(entity, from, to)) || "";
}
