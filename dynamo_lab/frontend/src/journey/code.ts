// The reader's lines on a way, and the expressions in them, as Python's view/journey/code.py has them.
import { expressionEntity, lineEntity, parseEntity } from "../core/entities";
import type { Model } from "../core/model";
import type { Place } from "../core/places";
import { type GraphView, LINE } from "../core/types.generated";
import { cut } from "../core/words";

const MOST_TEXT = 60;

export interface CodeStop {
  readonly entity: string;
  readonly text: string;
}

export const calls = (graph: GraphView, node: number): boolean => graph.strings[graph.op[node]].startsWith("call_");

/** The expressions that start on a line, as they stand there. */
export function expressionsOn({ view }: Model, source: number, line: number): number[] {
  return view.expressions.shown.flatMap(([of, first], i) => (of === source && first === line ? [i] : []));
}

function lineText({ view, sources }: Model, source: number, number: number): string {
  if (!sources.get(source)) return `line ${number}`;
  const where = source === view.sources[view.main_source].id ? `line ${number}` : sources.shortLabel(source, number);
  return `${where}  ${cut(sources.line(source, number)?.[LINE.text].trim() ?? "", MOST_TEXT)}`.trim();
}

const lineStop = (model: Model, source: number, line: number): CodeStop => ({ entity: lineEntity(source, line), text: lineText(model, source, line) });
const expressionStop = ({ view }: Model, index: number): CodeStop => ({ entity: expressionEntity(index), text: cut(view.expressions.shown[index][5], MOST_TEXT) });

interface Asked {
  readonly home: Place;
  /** The expression there, -1 where only the line is known. */
  readonly expression: number;
}

/** Of each captured node that is on the way, its line and its expression there. */
function captured({ view, places, sources }: Model, nodesOf: (graph: number) => readonly number[]): Asked[] {
  const { shown, stacks, nodes } = view.expressions;
  const columns = new Map(nodes);
  // A call over several lines is at one of them, which need not be its first.
  const isOn = (index: number, [source, line]: Place): boolean => shown[index][0] === source && shown[index][1] <= line && line <= shown[index][3];
  return view.graphs.flatMap((graph) => (graph.stage !== "dynamo" ? [] : nodesOf(graph.id).flatMap((node) => {
    const home = graph.stack[node] >= 0 ? places[graph.stack[node]] : null;
    if (!home || !sources.get(home[0]) || !calls(graph, node)) return [];
    const own = (stacks[columns.get(graph.id)?.[node] ?? -1] ?? []).filter((index) => isOn(index, home));
    return [{ home, expression: own.at(-1) ?? -1 }];
  })));
}

/** The line with its expressions, or what leads to the things on the way. */
export function codeStops(model: Model, entity: string, nodesOf: (graph: number) => readonly number[], hasLine: (source: number, line: number) => boolean): CodeStop[] {
  const own = parseEntity(entity);
  if (own?.kind === "line") return [lineStop(model, own.a, own.b), ...expressionsOn(model, own.a, own.b).map((one) => expressionStop(model, one))];
  if (own?.kind === "expression") {
    const one = model.view.expressions.shown[own.a];
    return one ? [lineStop(model, one[0], one[1]), expressionStop(model, own.a)] : [];
  }
  const asked = captured(model, nodesOf);
  const written = new Set(asked.map(({ expression }) => expression));
  const only = written.size === 1 && !written.has(-1) ? [...written] : [];
  return [...lines(model, asked, hasLine), ...only.map((one) => expressionStop(model, one))];
}

function lines(model: Model, asked: readonly Asked[], hasLine: (source: number, line: number) => boolean): CodeStop[] {
  const { sources } = model.view;
  const homes = new Map<number, Set<number>>();
  for (const { home: [source, line] } of asked) homes.set(source, (homes.get(source) ?? new Set()).add(line));
  const found = sources.flatMap(({ id }) => [...(homes.get(id) ?? [])].sort((a, b) => a - b).map((number) => lineStop(model, id, number)));
  if (found.length > 0) return found;
  return sources.filter(({ kind }) => kind !== "library").flatMap((source) =>
    source.lines.flatMap(([number]) => (hasLine(source.id, number) ? [lineStop(model, source.id, number)] : [])));
}
