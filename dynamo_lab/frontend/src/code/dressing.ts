// How the reader's code is decorated: states, regions and breaks once, kin at each hover.
import { type Range, RangeSet, RangeSetBuilder } from "@codemirror/state";
import { Decoration, type DecorationSet, type EditorView, GutterMarker } from "@codemirror/view";
import { expressionEntity, lineEntity } from "../core/entities";
import type { KinIndex, Mask } from "../core/kin";
import type { Model } from "../core/model";
import { type ExpressionsView, type KernelTimesView, LINE, type LineView, type Mark, type SourceView } from "../core/types.generated";
import { hasGaps, highlightPieces } from "../ui/highlight";

type Doc = EditorView["state"]["doc"];

export interface LineMap {
  readonly text: string;
  /** Source line number by document line (from 1), and back. */
  number(docLine: number): number;
  docLine(number: number): number;
}

export function mapLines(source: SourceView): LineMap {
  const numbers = source.lines.map((line) => line[LINE.number]);
  const back = new Map(numbers.map((number, i) => [number, i + 1]));
  return {
    text: source.lines.map((line) => line[LINE.text].replace(/[\r\n]/g, " ")).join("\n"),
    number: (docLine) => numbers[docLine - 1] ?? docLine,
    docLine: (number) => back.get(number) ?? -1,
  };
}

function lineClass(line: LineView, before: LineView | undefined, model: Model): string {
  const [number, , state, region] = line;
  const gap = before && number > before[0] + 1 ? " dl-gap" : "";
  return `dl-line ${model.colour(region)}${state ? ` dl-is-${state}` : ""}${gap}`;
}

/** The text of one line from a column to another, indentation left out; null for nothing. */
function textRange(doc: Doc, docLine: number, from: number, to: number): { from: number; to: number } | null {
  const line = doc.line(docLine);
  const indent = line.length - line.text.trimStart().length;
  const start = line.from + Math.min(Math.max(from, indent), line.length);
  const end = line.from + Math.min(to, line.length);
  return end > start ? { from: start, to: end } : null;
}

/** Lines from 1, columns from 0, -1 where they are not known. */
export type Position = Pick<Mark, "line" | "column" | "end_line" | "end_column">;

/** Where a mark lies, a range a line; a mark without columns covers the line's text. */
export function markRanges(mark: Position, doc: Doc, lines: LineMap): { from: number; to: number }[] {
  const first = lines.docLine(mark.line);
  if (first < 1) return [];
  const last = mark.end_line > mark.line ? Math.max(first, lines.docLine(mark.end_line)) : first;
  const ranges = [];
  for (let at = first; at <= last; at++) {
    const from = at === first ? mark.column : 0;
    const to = at === last && mark.end_column >= 0 ? mark.end_column : Infinity;
    ranges.push(textRange(doc, at, from, to));
  }
  return ranges.filter((range) => range !== null);
}

/** Where the expressions of a source lie, a range a line. */
function expressionRanges(
  source: SourceView, lines: LineMap, doc: Doc, { shown }: ExpressionsView, isWanted: (index: number) => boolean = () => true,
): { index: number; from: number; to: number }[] {
  return shown.flatMap(([of, line, column, end_line, end_column], index) =>
    (of === source.id && isWanted(index) ? markRanges({ line, column, end_line, end_column }, doc, lines).map((range) => ({ index, ...range })) : []));
}

export function baseDecorations(source: SourceView, lines: LineMap, doc: Doc, model: Model): DecorationSet {
  const ranges = source.lines.flatMap((line, i) => {
    const linked = model.kin.linked(model.kin.vertex("line", source.id, line[LINE.number]));
    const entity = lineEntity(source.id, line[LINE.number]);
    const hue = model.hue([source.id, line[LINE.number]]);
    const decoration = Decoration.line({
      class: lineClass(line, source.lines[i - 1], model) + (hue >= 0 ? " dl-hued" : ""),
      attributes: { ...(linked && { "data-entity": entity }), ...(hue >= 0 && { style: `--dl-hue: ${hue}` }) },
    });
    return i < doc.lines ? [decoration.range(doc.line(i + 1).from)] : [];
  });
  const marks = source.marks.flatMap((mark) => {
    const attributes = { "data-entity": mark.target, "data-go": mark.target, title: mark.label };
    const decoration = Decoration.mark({ class: `dl-mark dl-mark-${mark.kind}`, attributes });
    return markRanges(mark, doc, lines).map(({ from, to }) => decoration.range(from, to));
  });
  const expressions = expressionRanges(source, lines, doc, model.view.expressions).map(({ index, from, to }) =>
    Decoration.mark({ class: "dl-expression", attributes: { "data-entity": expressionEntity(index) } }).range(from, to));
  const colours = hasGaps(source.lines) ? highlightPieces(source.lines, lines.text.split("\n")) : [];
  return Decoration.set([...ranges, ...expressions, ...marks, ...colours], true);
}

/** What is lit by the pointer, and held by what is selected. */
interface Masks {
  readonly lit: Mask | null;
  readonly held: Mask | null;
}

/** Classes of lines and of expressions in them, for what is lit, pinned and under the keyboard's cursor. */
export function litDecorations(
  source: SourceView, lines: LineMap, doc: Doc, kin: KinIndex, ofLines: Masks, ofExpressions: Masks, cursor: number, expressions: ExpressionsView,
): DecorationSet {
  const found = litLines(source, doc, kin, ofLines, cursor);
  const { lit, held } = ofExpressions;
  const classes = (index: number): string => litClasses(ofExpressions, kin.vertex("expression", index)).join(" ").trim();
  for (const { index, from, to } of lit || held ? expressionRanges(source, lines, doc, expressions, (one) => classes(one) !== "") : []) {
    found.push(Decoration.mark({ class: classes(index) }).range(from, to));
  }
  return Decoration.set(found, true);
}

const litClasses = ({ lit, held }: Masks, vertex: number): string[] => [vertex >= 0 && lit?.[vertex] ? "is-lit" : "", vertex >= 0 && held?.[vertex] ? "is-held" : ""];

function litLines(source: SourceView, doc: Doc, kin: KinIndex, masks: Masks, cursor: number): Range<Decoration>[] {
  const found: Range<Decoration>[] = [];
  const count = Math.min(doc.lines, source.lines.length);
  for (let i = 0; i < count; i++) {
    const vertex = kin.vertex("line", source.id, source.lines[i][LINE.number]);
    const classes = [...litClasses(masks, vertex), i + 1 === cursor ? "is-cursor" : ""].join(" ").trim();
    if (!classes) continue;
    const from = doc.line(i + 1).from;
    found.push(Decoration.line({ class: classes }).range(from));
  }
  return found;
}

/** The line and the expression that the steps are at, and the part of the text to show. */
export function stepDressing(at: Position | null, lines: LineMap, doc: Doc): { marks: DecorationSet; part: { from: number; to: number } | null } {
  const line = at ? lines.docLine(at.line) : -1;
  if (!at || line < 1 || line > doc.lines) return { marks: Decoration.none, part: null };
  const { from, to } = doc.line(line);
  const expression = at.column < 0 ? [] : markRanges(at, doc, lines);
  const marks = Decoration.set([
    Decoration.line({ class: "is-step" }).range(from),
    ...expression.map((part) => Decoration.mark({ class: "dl-step-mark" }).range(part.from, part.to)),
  ], true);
  // Only where the expression starts: a long one would push its own beginning out of a narrow pane.
  const start = expression[0]?.from ?? from;
  return { marks, part: { from: start, to: Math.min(to, start + 1) } };
}

class Sign extends GutterMarker {
  constructor(private readonly mark: Mark) {
    super();
  }

  override eq(other: Sign): boolean {
    return other.mark.target === this.mark.target && other.mark.label === this.mark.label;
  }

  override toDOM(view: EditorView): Node {
    const sign = view.dom.ownerDocument.createElement("span");
    sign.className = `dl-sign dl-sign-${this.mark.kind}`;
    sign.title = this.mark.label;
    sign.dataset.go = this.mark.target;
    return sign;
  }
}

class Time extends GutterMarker {
  constructor(private readonly text: string, private readonly told: string) {
    super();
  }

  override eq(other: Time): boolean {
    return other.text === this.text && other.told === this.told;
  }

  override toDOM(view: EditorView): Node {
    const shown = view.dom.ownerDocument.createElement("span");
    shown.textContent = this.text;
    shown.title = this.told;
    return shown;
  }
}

/** The measured time of the kernels that a line is in. */
export function lineTimes(timed: KernelTimesView["lines"], source: SourceView, lines: LineMap, doc: Doc): RangeSet<GutterMarker> {
  const found = timed.flatMap(([of, number, text, told]) => {
    const at = of === source.id ? lines.docLine(number) : -1;
    return at > 0 && at <= doc.lines ? [new Time(text, told).range(doc.line(at).from)] : [];
  });
  return RangeSet.of(found, true);
}

export function signs(source: SourceView, lines: LineMap, doc: Doc): RangeSet<GutterMarker> {
  const builder = new RangeSetBuilder<GutterMarker>();
  const first = new Map<number, Mark>();
  for (const mark of source.marks) {
    const at = lines.docLine(mark.line);
    if (at > 0 && !first.has(at)) first.set(at, mark);
  }
  for (const [at, mark] of [...first].sort((a, b) => a[0] - b[0])) {
    const from = doc.line(at).from;
    builder.add(from, from, new Sign(mark));
  }
  return builder.finish();
}
