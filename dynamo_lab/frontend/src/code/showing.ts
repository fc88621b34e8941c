// Which line of the reader's code shows what was chosen somewhere.
import { parseEntity } from "../core/entities";
import type { Mask } from "../core/kin";
import type { Model } from "../core/model";
import { LINE, type SourceView } from "../core/types.generated";
import { indicesOf } from "../graphs/graph-index";

/** The line of this file that an entity asks to see; -1 where none of its kin is here. */
export function lineToShow(model: Model, source: SourceView, entity: string, mask: Mask): number {
  const parsed = parseEntity(entity);
  if (parsed?.kind === "line") return parsed.a === source.id ? parsed.b : -1;
  const expression = parsed?.kind === "expression" ? model.view.expressions.shown[parsed.a] : undefined;
  if (expression) return expression[0] === source.id ? expression[1] : -1;
  const mark = source.marks.find((one) => one.target === entity);
  if (mark) return mark.line;
  const home = parsed?.kind === "node" ? indicesOf(model)(parsed.a)?.home[parsed.b] : null;
  if (home && home[0] === source.id) return home[1];
  return source.lines.find(([number]) => mask[model.kin.vertex("line", source.id, number)])?.[LINE.number] ?? -1;
}

/** Which file to switch to when an entity has no line in the present one: yours before libraries'. */
export function fileToShow(model: Model, source: SourceView, entity: string): number | null {
  const mask = model.kin.kin(model.kin.resolve(entity));
  const shows = (other: SourceView): boolean => lineToShow(model, other, entity, mask) > 0;
  if (shows(source)) return null;
  const { sources } = model.view;
  return (sources.find((other) => other.kind !== "library" && shows(other)) ?? sources.find(shows))?.id ?? null;
}
