// Colours for excerpts. A library's source is kept in pieces, and a piece may begin in the middle of
// a docstring, after which a parser that reads the whole takes code for text and text for code. So
// each piece is read by itself, with and without a quote before it, and the reading with fewer
// errors wins.
import type { Range } from "@codemirror/state";
import { Decoration } from "@codemirror/view";
import { classHighlighter, highlightTree } from "@lezer/highlight";
import { parser } from "@lezer/python";
import { LINE, type LineView } from "../core/types.generated";

const QUOTE = '"""';

export interface Piece {
  readonly from: number; // place in the document
  readonly text: string;
}

/** The text of consecutive lines, with where each run begins in the document. */
export function pieces(lines: readonly LineView[], texts: readonly string[]): Piece[] {
  const found: { from: number; texts: string[] }[] = [];
  let offset = 0;
  lines.forEach(([number], i) => {
    const last = found.at(-1);
    if (last && number === lines[i - 1][LINE.number] + 1) last.texts.push(texts[i]);
    else found.push({ from: offset, texts: [texts[i]] });
    offset += texts[i].length + 1;
  });
  return found.map((piece) => ({ from: piece.from, text: piece.texts.join("\n") }));
}

/** Whether lines are missing between the known ones. */
export const hasGaps = (lines: readonly LineView[]): boolean =>
  lines.some(([number], i) => i > 0 && number !== lines[i - 1][LINE.number] + 1);

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

/** The colours of these lines, which begin at `offset` in the document. */
export function highlightPieces(lines: readonly LineView[], texts: readonly string[], offset = 0): Range<Decoration>[] {
  const ranges: Range<Decoration>[] = [];
  for (const piece of pieces(lines, texts)) {
    const [text, from] = [piece.text, offset + piece.from];
    const before = opening(text);
    highlightTree(parser.parse(before + text), classHighlighter, (start, end, classes) => {
      const [a, b] = [Math.max(0, start - before.length), end - before.length];
      if (b > a) ranges.push(Decoration.mark({ class: classes }).range(from + a, from + b));
    });
  }
  return ranges;
}
