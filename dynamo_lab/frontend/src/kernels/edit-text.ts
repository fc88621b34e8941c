// Typing in a kernel's code: undo, new lines with the indentation of the last, and messages below their lines.
import { type ChangeSet, EditorSelection, type Extension, RangeSetBuilder, StateField, Transaction } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, keymap, WidgetType } from "@codemirror/view";
import type { Diagnostic } from "../core/types.generated";

interface Undone {
  readonly changes: ChangeSet;
  readonly time: number;
}

interface History {
  readonly undo: readonly Undone[];
  readonly redo: readonly Undone[];
}

const TOGETHER_MS = 600; // what is typed without a pause is taken back at once
const UNDO = "undo";
const REDO = "redo";

const history = StateField.define<History>({
  create: () => ({ undo: [], redo: [] }),
  update(value, transaction) {
    if (!transaction.docChanged) return value;
    const one: Undone = { changes: transaction.changes.invert(transaction.startState.doc), time: transaction.annotation(Transaction.time) ?? 0 };
    if (transaction.isUserEvent(UNDO)) return { undo: value.undo.slice(0, -1), redo: [...value.redo, one] };
    if (transaction.isUserEvent(REDO)) return { undo: [...value.undo, { ...one, time: 0 }], redo: value.redo.slice(0, -1) };
    const last = value.undo.at(-1);
    if (last && one.time - last.time < TOGETHER_MS) {
      return { undo: [...value.undo.slice(0, -1), { changes: one.changes.compose(last.changes), time: one.time }], redo: [] };
    }
    return { undo: [...value.undo, one], redo: [] };
  },
});

function takeBack(view: EditorView, what: "undo" | "redo"): boolean {
  const last = view.state.field(history)[what].at(-1);
  if (!last) return true; // the browser's own would not know of ours
  view.dispatch({ changes: last.changes, userEvent: what, scrollIntoView: true });
  return true;
}

function newLine(view: EditorView): boolean {
  view.dispatch(view.state.changeByRange(({ from, to }) => {
    const line = view.state.doc.lineAt(from);
    const indentation = /^\s*/.exec(line.text.slice(0, from - line.from))?.[0] ?? "";
    const insert = view.state.lineBreak + indentation;
    return { changes: { from, to, insert }, range: EditorSelection.cursor(from + insert.length) };
  }), { scrollIntoView: true, userEvent: "input" });
  return true;
}

/** Makes a text one to write in. */
export function writing(changed: (text: string) => void, run: () => void): Extension {
  return [
    history,
    keymap.of([
      { key: "Mod-Enter", run: () => (run(), true) },
      { key: "Mod-z", run: (view) => takeBack(view, UNDO) },
      { key: "Mod-y", run: (view) => takeBack(view, REDO) },
      { key: "Mod-Shift-z", run: (view) => takeBack(view, REDO) },
      { key: "Enter", run: newLine },
    ]),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) changed(update.state.doc.toString());
    }),
  ];
}

class Message extends WidgetType {
  constructor(private readonly one: Diagnostic) {
    super();
  }

  override eq(other: Message): boolean {
    return other.one.message === this.one.message && other.one.severity === this.one.severity && other.one.column === this.one.column;
  }

  override toDOM(view: EditorView): HTMLElement {
    const { one } = this;
    const box = view.dom.ownerDocument.createElement("div");
    box.className = `dl-diagnostic is-${one.severity}`;
    box.textContent = `${one.severity}: ${one.message}`;
    return box;
  }
}

/** Each message below the line that it is about; notes would crowd out what is wrong. */
export function messages(doc: EditorView["state"]["doc"], diagnostics: readonly Diagnostic[]): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  const placed = diagnostics.flatMap((one) => (one.line !== null && one.line >= 1 && one.line <= doc.lines && one.severity !== "note" ? [{ ...one, line: one.line }] : []));
  const lines = [...new Set(placed.map(({ line }) => line))].sort((a, b) => a - b);
  for (const number of lines) {
    const line = doc.line(number);
    const own = placed.filter((one) => one.line === number);
    builder.add(line.from, line.from, Decoration.line({ class: `is-told is-${own[0].severity}` }));
    for (const one of own) builder.add(line.to, line.to, Decoration.widget({ widget: new Message(one), block: true, side: 1 }));
  }
  return builder.finish();
}
