// A CodeMirror, to read unless asked otherwise, whose decorations we replace as a whole, with its own line numbers.
import { cpp } from "@codemirror/lang-cpp";
import { LRLanguage, syntaxHighlighting } from "@codemirror/language";
import { EditorSelection, EditorState, type Extension, RangeSet, StateEffect, StateField, type Transaction } from "@codemirror/state";
import {
  Decoration, type DecorationSet, EditorView, type GutterMarker, gutter,
  highlightSpecialChars, lineNumbers,
} from "@codemirror/view";
import { parser } from "@lezer/python";
import { coloured, hasGaps, pythonInSight } from "./highlight";

/** Decorations, or what makes those of the lines in sight. */
export type Drawn = DecorationSet | ((view: EditorView) => DecorationSet);

/** What is drawn over the text. `base` stays while the text does, `lit` changes with each hover, `step` with the steps. */
export interface Dressing {
  readonly base: Drawn;
  readonly lit: Drawn;
  readonly step: DecorationSet;
  readonly signs: RangeSet<GutterMarker>;
  readonly times: RangeSet<GutterMarker>;
}

const dress = StateEffect.define<Partial<Dressing>>();
const bare: Dressing = { base: Decoration.none, lit: Decoration.none, step: Decoration.none, signs: RangeSet.empty, times: RangeSet.empty };

/** While a text is written in, what is drawn over it stays with its place. */
function moved(value: Dressing, { changes }: Transaction): Dressing {
  const { base, lit, step, times, signs } = value;
  const along = (drawn: Drawn): Drawn => (typeof drawn === "function" ? drawn : drawn.map(changes));
  return { base: along(base), lit: along(lit), step: step.map(changes), times: times.map(changes), signs: signs.map(changes) };
}

const dressing = StateField.define<Dressing>({
  create: () => bare,
  update(value, transaction) {
    let next = value;
    if (transaction.docChanged) next = moved(value, transaction);
    for (const effect of transaction.effects) if (effect.is(dress)) next = { ...next, ...effect.value };
    return next;
  },
  provide: (field) => [
    EditorView.decorations.from(field, (value) => value.base),
    EditorView.decorations.from(field, (value) => value.lit),
    EditorView.decorations.from(field, (value) => value.step),
  ],
});

/** Python to colour: completion and indentation, which @codemirror/lang-python adds, are not for a view. */
const python = LRLanguage.define({ name: "python", parser });

export function language(name: string): Extension | null {
  if (name === "python" || name === "triton") return python;
  if (name === "cpp" || name === "metal" || name === "c" || name === "c++") return cpp();
  return null;
}

/** Beyond so many lines a text to read is not read as a whole: its colours are those of what is in sight. */
const LONG = 1000;

/** What colours the text; a long one, or one with gaps between its lines, piece by piece. */
function colours({ text, language: name, number = (line) => line, writing }: EditorOptions): Extension {
  const support = language(name);
  if (support !== python || writing) return support ?? [];
  const numbers = text.split("\n").map((_, i) => number(i + 1));
  return numbers.length > LONG || hasGaps(numbers) ? pythonInSight(number) : python;
}

export interface EditorOptions {
  readonly text: string;
  readonly language: string;
  readonly label: string;
  /** The number to show for a line of the document, where they differ. */
  readonly number?: (line: number) => number;
  readonly signs?: boolean;
  readonly isWrapped?: boolean;
  /** What makes the text one to write in; without it, it is to read. */
  readonly writing?: Extension;
}

/** Scrolls the editor alone: CodeMirror would scroll all around it, and the notebook jump. */
const scrollWithin = EditorView.scrollHandler.of((view, range, { y, yMargin, xMargin }) => {
  const { scrollDOM } = view;
  const pad = view.documentPadding.top;
  const [top, bottom] = [view.lineBlockAt(range.from).top + pad, view.lineBlockAt(range.to).bottom + pad];
  const { scrollTop, clientHeight } = scrollDOM;
  if (y === "start") scrollDOM.scrollTop = top - yMargin;
  else if (y === "center") scrollDOM.scrollTop = (top + bottom - clientHeight) / 2;
  else if (top - yMargin < scrollTop) scrollDOM.scrollTop = top - yMargin;
  else if (bottom + yMargin > scrollTop + clientHeight) scrollDOM.scrollTop = Math.min(top - yMargin, bottom + yMargin - clientHeight);
  if (range.empty) return true;
  // by the columns: the layout may not be read in here, and all letters are of one width
  const { doc } = view.state;
  const [first, last] = [doc.lineAt(range.from), doc.lineAt(range.to)];
  const x = (column: number): number => column * view.defaultCharacterWidth;
  const room = scrollDOM.clientWidth - (scrollDOM.querySelector<HTMLElement>(".cm-gutters")?.offsetWidth ?? 0) - 2 * xMargin;
  const [left, right] = [x(range.from - first.from), first.number === last.number ? x(range.to - last.from) : 0];
  if (left < scrollDOM.scrollLeft) scrollDOM.scrollLeft = left;
  else if (right > scrollDOM.scrollLeft + room) scrollDOM.scrollLeft = Math.min(right - room, left);
  return true;
});

/** A part of the text. */
interface Part {
  readonly from: number;
  readonly to: number;
}

const intoSight = ({ from, to }: Part) => EditorView.scrollIntoView(EditorSelection.range(from, to), { yMargin: 40, xMargin: 24 });

export class Editor {
  readonly view: EditorView;

  constructor(parent: HTMLElement, options: EditorOptions) {
    this.view = new EditorView({ parent, state: EditorState.create({ doc: options.text, extensions: extensions(options) }) });
  }

  dress(value: Partial<Dressing>): void {
    this.view.dispatch({ effects: dress.of(value) });
  }

  /** Draws over the text and brings the part that this is about into sight: with each update CodeMirror lays out the page. */
  dressAt(value: Partial<Dressing>, part: Part | null): void {
    this.view.dispatch({ effects: [dress.of(value), ...(part ? [intoSight(part)] : [])] });
  }

  /** Tells lines of the document apart from the others. */
  mark(lines: readonly number[]): void {
    const { doc } = this.view.state;
    const sign = Decoration.line({ class: "is-marked" });
    this.dress({ base: Decoration.set(lines.filter((line) => line <= doc.lines).map((line) => sign.range(doc.line(line).from))) });
  }

  /** Brings a line of the document into sight if it is not, or to the top. */
  showLine(line: number, y: "nearest" | "start" = "nearest"): void {
    const { doc } = this.view.state;
    if (line < 1 || line > doc.lines) return;
    this.view.dispatch({ effects: EditorView.scrollIntoView(doc.line(line).from, { y, yMargin: y === "start" ? 97 : 40 }) });
  }

  /** Puts another text in the place of this one. */
  replace(text: string): void {
    const { doc } = this.view.state;
    if (doc.toString() !== text) this.view.dispatch({ changes: { from: 0, to: doc.length, insert: text } });
  }

  /** Puts the cursor on a line, to write there. */
  goTo(line: number): void {
    const { doc } = this.view.state;
    if (line < 1 || line > doc.lines) return;
    const anchor = doc.line(line).from;
    this.view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
    this.view.focus();
  }

  /** Brings a part of the text into sight if it is not. */
  showPart(from: number, to: number): void {
    this.view.dispatch({ effects: intoSight({ from, to }) });
  }

  destroy(): void {
    this.view.destroy();
  }
}

function extensions(options: EditorOptions): Extension[] {
  const number = options.number;
  return [
    options.writing ?? [EditorState.readOnly.of(true), EditorView.editable.of(false)],
    EditorView.contentAttributes.of({ "aria-label": options.label, tabindex: "0", "aria-readonly": String(!options.writing) }),
    options.signs
      ? gutter({ class: "dl-signs", markers: (view) => view.state.field(dressing).signs })
      : [],
    lineNumbers(number ? { formatNumber: (line, state) => (line > state.doc.lines ? String(line) : String(number(line))) } : {}),
    options.signs ? gutter({ class: "dl-times", markers: (view) => view.state.field(dressing).times }) : [],
    // Shows control and bidirectional characters, so that code cannot look like other code.
    highlightSpecialChars(),
    options.isWrapped ? EditorView.lineWrapping : [],
    syntaxHighlighting(coloured),
    colours(options),
    dressing,
    scrollWithin,
  ];
}
