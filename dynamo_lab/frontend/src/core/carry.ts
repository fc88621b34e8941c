// What is chosen in one recording, found again in another of the same program.
import { lineEntity, nodeEntity, parseEntity } from "./entities";
import type { Place } from "../graphs/graph-index";
import type { Model } from "./store";
import type { GraphView } from "./types.generated";

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

function sameGraph(graph: GraphView | undefined, to: Model): GraphView | undefined {
  return to.view.graphs.find(
    (other) => graph && other.stage === graph.stage && other.number === graph.number && other.is_backward === graph.is_backward && (other.parent === null) === (graph.parent === null),
  );
}

/** The graph of the same stage, direction and number. */
export function carryGraph(id: number | null, from: Model, to: Model): number | null {
  return id === null ? null : (sameGraph(from.graphs.get(id), to)?.id ?? null);
}

/** The lines that a kernel came from, in its own recording. */
export function kernelLines({ kin, view }: Model, id: number): Place[] {
  const vertex = kin.vertex("kernel", id);
  if (vertex < 0) return [];
  const mask = kin.kin([vertex]);
  return view.sources.flatMap((source) => source.lines.filter(([line]) => mask[kin.vertex("line", source.id, line)] === 1).map(([line]): Place => [source.id, line]));
}

/** The entity that means the same: by path, stage and name; else the reader's line; empty for none. */
export function carry(text: string, from: Model, to: Model): string {
  const entity = parseEntity(text);
  const atLine = (place: Place | null | undefined): string => {
    const found = carryLine(place ?? null, from, to);
    return found ? lineEntity(...found) : "";
  };
  switch (entity?.kind) {
    case "line": return atLine([entity.a, entity.b]);
    case "node": {
      const graph = from.graphs.get(entity.a);
      const other = sameGraph(graph, to);
      const at = graph && other ? other.name.indexOf(graph.name[entity.b] ?? "") : -1;
      return other && at >= 0 ? nodeEntity(other.id, at) : atLine(from.graphIndex(entity.a)?.home[entity.b]);
    }
    case "kernel": return atLine(kernelLines(from, entity.a)[0]);
    default: return "";
  }
}
