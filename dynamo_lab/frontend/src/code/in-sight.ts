// How the lines in sight are decorated: states, regions, breaks and expressions, and what is lit. Those of a
// long file that are out of sight cost nothing.
import type { Range } from "@codemirror/state";
import { Decoration, type DecorationSet, type EditorView } from "@codemirror/view";
import { expressionEntity, lineEntity } from "../core/entities";
import type { Mask } from "../core/kin";
import type { Model } from "../core/model";
import { LINE, type LineView, type Mark, type SourceView } from "../core/types.generated";
import type { Drawn } from "../ui/editor";
import { type Doc, type LineMap, markRanges, type Position } from "./dressing";

/** What is lit by the pointer, and held by what is selected. */
export interface Masks {
  readonly lit: Mask | null;
  readonly held: Mask | null;
}

/** The first and the last line of the document that are in sight, from 1. */
type Sight = readonly [first: number, last: number];

const sightOf = ({ state: { doc }, viewport }: EditorView): Sight => [doc.lineAt(viewport.from).number, doc.lineAt(viewport.to).number];

/** What stands on lines, by the lines of the document. */
function byLine<Item>(items: readonly Item[], lines: LineMap, placeOf: (item: Item) => Pick<Position, "line" | "end_line">): ReadonlyMap<number, readonly Item[]> {
  const found = new Map<number, Item[]>();
  for (const item of items) {
    const { line, end_line } = placeOf(item);
    const first = lines.docLine(line);
    for (let at = first; first > 0 && at <= Math.max(first, lines.docLine(end_line)); at++) {
      const there = found.get(at);
      if (there) there.push(item);
      else found.set(at, [item]);
    }
  }
  return found;
}

function inSight<Item>(items: ReadonlyMap<number, readonly Item[]>, [first, last]: Sight): Set<Item> {
  const found = new Set<Item>();
  for (let at = first; at <= last; at++) for (const item of items.get(at) ?? []) found.add(item);
  return found;
}

function lineClass(line: LineView, before: LineView | undefined, model: Model): string {
  const [number, , state, region] = line;
  const gap = before && number > before[0] + 1 ? " dl-gap" : "";
  return `dl-line ${model.colour(region)}${state ? ` dl-is-${state}` : ""}${gap}`;
}

const classesOf = ({ lit, held }: Masks, vertex: number): string[] => [vertex >= 0 && lit?.[vertex] ? "is-lit" : "", vertex >= 0 && held?.[vertex] ? "is-held" : ""];

/** A source in its editor, with what its model knows of it. */
export class DrawnSource {
  private readonly marks: ReadonlyMap<number, readonly Mark[]>;
  /** The indices of expressions. */
  private readonly expressions: ReadonlyMap<number, readonly number[]>;
  private known: { readonly sight: Sight; readonly drawn: DecorationSet } | null = null;

  constructor(private readonly source: SourceView, private readonly lines: LineMap, private readonly doc: Doc, private readonly model: Model) {
    const { shown } = model.view.expressions;
    const own = shown.flatMap(([of], index) => (of === source.id ? [index] : []));
    this.marks = byLine(source.marks, lines, (mark) => mark);
    this.expressions = byLine(own, lines, (index) => this.placeOf(index));
  }

  /** What stays while the model does. */
  readonly base: Drawn = (view) => {
    const sight = sightOf(view);
    const [first, last] = this.known?.sight ?? [0, 0];
    if (!this.known || first !== sight[0] || last !== sight[1]) this.known = { sight, drawn: this.draw(sight) };
    return this.known.drawn;
  };

  /** Classes of lines and of expressions in them, for what is lit, pinned and under the keyboard's cursor. */
  lit(ofLines: Masks, ofExpressions: Masks, cursor: number): Drawn {
    return (view) => Decoration.set(this.drawLit(sightOf(view), ofLines, ofExpressions, cursor), true);
  }

  private placeOf(index: number): Position {
    const [, line, column, end_line, end_column] = this.model.view.expressions.shown[index];
    return { line, column, end_line, end_column };
  }

  private draw(sight: Sight): DecorationSet {
    const found = this.drawLines(sight);
    for (const index of inSight(this.expressions, sight)) {
      const mark = Decoration.mark({ class: "dl-expression", attributes: { "data-entity": expressionEntity(index) } });
      for (const { from, to } of markRanges(this.placeOf(index), this.doc, this.lines)) found.push(mark.range(from, to));
    }
    for (const one of inSight(this.marks, sight)) {
      const mark = Decoration.mark({ class: `dl-mark dl-mark-${one.kind}`, attributes: { "data-entity": one.target, "data-go": one.target, title: one.label } });
      for (const { from, to } of markRanges(one, this.doc, this.lines)) found.push(mark.range(from, to));
    }
    return Decoration.set(found, true);
  }

  private drawLines([first, last]: Sight): Range<Decoration>[] {
    const { source, model, doc } = this;
    const found: Range<Decoration>[] = [];
    for (let at = first; at <= Math.min(last, source.lines.length); at++) {
      const line = source.lines[at - 1];
      const number = line[LINE.number];
      const hue = model.hue([source.id, number]);
      const isLinked = model.kin.linked(model.kin.vertex("line", source.id, number));
      const decoration = Decoration.line({
        class: lineClass(line, source.lines[at - 2], model) + (hue >= 0 ? " dl-hued" : ""),
        attributes: { ...(isLinked && { "data-entity": lineEntity(source.id, number) }), ...(hue >= 0 && { style: `--dl-hue: ${hue}` }) },
      });
      found.push(decoration.range(doc.line(at).from));
    }
    return found;
  }

  private drawLit(sight: Sight, ofLines: Masks, ofExpressions: Masks, cursor: number): Range<Decoration>[] {
    const { source, model: { kin }, doc } = this;
    const found: Range<Decoration>[] = [];
    for (let at = sight[0]; at <= Math.min(sight[1], source.lines.length); at++) {
      const vertex = kin.vertex("line", source.id, source.lines[at - 1][LINE.number]);
      const classes = [...classesOf(ofLines, vertex), at === cursor ? "is-cursor" : ""].join(" ").trim();
      if (classes) found.push(Decoration.line({ class: classes }).range(doc.line(at).from));
    }
    for (const index of inSight(this.expressions, sight)) {
      const classes = classesOf(ofExpressions, kin.vertex("expression", index)).join(" ").trim();
      if (!classes) continue;
      for (const { from, to } of markRanges(this.placeOf(index), doc, this.lines)) found.push(Decoration.mark({ class: classes }).range(from, to));
    }
    return found;
  }
}
