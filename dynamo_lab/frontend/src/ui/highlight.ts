// Colours for excerpts, and for what is in sight of a long text. A library's source is kept in pieces, and a
// piece may begin in the middle of a docstring, after which a parser that reads the whole takes code for text
// and text for code. So each piece is read by itself, with and without a quote before it, and the reading with
// fewer errors wins.
import type { Extension, Range } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view";
import { highlightTree, tagHighlighter, tags } from "@lezer/highlight";
import { parser } from "@lezer/python";

/** What has a colour in the style sheet. Other names, operators and brackets would be most elements of a text, to no end. */
export const coloured = tagHighlighter([
  { tag: tags.keyword, class: "tok-keyword" },
  { tag: [tags.string, tags.regexp, tags.escape, tags.special(tags.string)], class: "tok-string" },
  { tag: [tags.number, tags.bool, tags.atom], class: "tok-number" },
  { tag: [tags.comment, tags.meta], class: "tok-comment" },
  { tag: [tags.typeName, tags.className, tags.namespace], class: "tok-type" },
  { tag: tags.definition(tags.variableName), class: "tok-definition" },
]);

const QUOTE = '"""';

export interface Piece {
  readonly from: number; // place in the document
  readonly text: string;
}

/** The text of consecutive lines, with where each run begins in the document. */
export function pieces(numbers: readonly number[], texts: readonly string[]): Piece[] {
  const found: { from: number; texts: string[] }[] = [];
  let offset = 0;
  numbers.forEach((number, i) => {
    const last = found.at(-1);
    if (last && number === numbers[i - 1] + 1) last.texts.push(texts[i]);
    else found.push({ from: offset, texts: [texts[i]] });
    offset += texts[i].length + 1;
  });
  return found.map((piece) => ({ from: piece.from, text: piece.texts.join("\n") }));
}

/** Whether lines are missing between the known ones. */
export const hasGaps = (numbers: readonly number[]): boolean => numbers.some((number, i) => i > 0 && number !== numbers[i - 1] + 1);

function errors(text: string): number {
  let count = 0;
  parser.parse(text).iterate({
    enter: (node) => {
      if (node.type.isError) count++;
    },
  });
  return count;
}

/** What to read before a piece so that it makes sense: nothing, or the quote it began behind. */
export function opening(text: string): string {
  const quotes = text.split(QUOTE).length - 1;
  if (quotes % 2 === 0) return "";
  return errors(QUOTE + text) < errors(text) ? QUOTE : "";
}

/** The colours of lines with these numbers, which begin at `offset` in the document. */
export function highlightPieces(numbers: readonly number[], texts: readonly string[], offset = 0): Range<Decoration>[] {
  const ranges: Range<Decoration>[] = [];
  for (const piece of pieces(numbers, texts)) {
    const [text, from] = [piece.text, offset + piece.from];
    const before = opening(text);
    highlightTree(parser.parse(before + text), coloured, (start, end, classes) => {
      const [a, b] = [Math.max(0, start - before.length), end - before.length];
      if (b > a) ranges.push(Decoration.mark({ class: classes }).range(from + a, from + b));
    });
  }
  return ranges;
}

/** Lines above those in sight that are read with them: a text over several lines may begin there. */
const LEAD = 60;

/** Python to colour where it is in sight, each piece by itself; lines are numbered as their source does. */
export function pythonInSight(number: (line: number) => number): Extension {
  let known: { readonly from: number; readonly to: number; readonly drawn: DecorationSet } | null = null;
  const draw = ({ state: { doc }, viewport: { from, to } }: EditorView): DecorationSet => {
    const first = Math.max(1, doc.lineAt(from).number - LEAD);
    const lines = Array.from({ length: doc.lineAt(to).number - first + 1 }, (_, i) => first + i);
    return Decoration.set(highlightPieces(lines.map(number), lines.map((line) => doc.line(line).text), doc.line(first).from), true);
  };
  return EditorView.decorations.of((view) => {
    const { from, to } = view.viewport;
    if (known?.from !== from || known.to !== to) known = { from, to, drawn: draw(view) };
    return known.drawn;
  });
}
