// Where things stand in the reader's code, and what is drawn beside it and for the steps.
import { RangeSet, RangeSetBuilder } from "@codemirror/state";
import { Decoration, type DecorationSet, type EditorView, GutterMarker } from "@codemirror/view";
import { type KernelTimesView, LINE, type Mark, type SourceView } from "../core/types.generated";

export type Doc = EditorView["state"]["doc"];

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
