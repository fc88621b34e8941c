// The margin of a cell's own editor: a colour for each region, a sign for each break.
import { Compartment, type EditorState, type Extension, type Range, RangeSet, StateEffect, StateField, type Text } from "@codemirror/state";
import { EditorView, gutter, GutterMarker, ViewPlugin } from "@codemirror/view";
import { linesAbove, type Margin, type MarginLine } from "./facts";
import { Tooltip } from "./tooltip";

/** Hues in the palette; regions beyond them share, as in the view. */
const HUES = 8;

/** What the margin of an editor asks of the rest. */
export interface Owner {
  /** The margin for a cell of this text; the editor says when to ask again. */
  find(text: string): Margin | null;
  go(margin: Margin, entity: string): void;
  hover(margin: Margin, entity: string): void;
  /** Calls when there may be another margin to find; returns what ends that. */
  watch(changed: () => void): () => void;
}

class Sign extends GutterMarker {
  override elementClass: string;

  constructor(readonly line: MarginLine) {
    super();
    const hue = line.colour < 0 ? "" : `dynamo-lab-r${line.colour % HUES}`;
    this.elementClass = `dynamo-lab-line dynamo-lab-is-${line.state || "none"} ${hue}`;
  }

  override eq(other: Sign): boolean {
    return other.line === this.line;
  }

  override toDOM(): Node {
    const sign = document.createElement("span");
    if (this.line.mark) sign.className = `dynamo-lab-sign dynamo-lab-sign-${this.line.mark}`;
    return sign;
  }
}

interface Shown {
  readonly margin: Margin | null;
  /** The text that the marks are for. */
  readonly ran: Text | null;
  readonly signs: RangeSet<Sign>;
  readonly isEdited: boolean;
}

const NOTHING: Shown = { margin: null, ran: null, signs: RangeSet.empty, isEdited: false };
const setMargin = StateEffect.define<Margin | null>();

function placed(margin: Margin | null, doc: Text): Shown {
  const above = margin && linesAbove(doc.toString(), margin.code);
  if (!margin || above === null) return { ...NOTHING, margin };
  const signs: Range<Sign>[] = [];
  for (const line of margin.lines) {
    const at = line.number + above;
    if (at >= 1 && at <= doc.lines) signs.push(new Sign(line).range(doc.line(at).from));
  }
  return { margin, ran: doc, signs: RangeSet.of(signs, true), isEdited: false };
}

/** Marks are for the text that ran: they fade while it is another, and come back with it. */
const field = StateField.define<Shown>({
  create: () => NOTHING,
  update: (shown, transaction) => {
    for (const effect of transaction.effects) if (effect.is(setMargin)) return placed(effect.value, transaction.newDoc);
    if (!transaction.docChanged || !shown.margin) return shown;
    if (!shown.ran || transaction.newDoc.eq(shown.ran)) return placed(shown.margin, transaction.newDoc);
    return { ...shown, signs: shown.signs.map(transaction.changes), isEdited: true };
  },
  provide: (self) => EditorView.editorAttributes.from(self, ({ isEdited }): Record<string, string> => (isEdited ? { class: "dynamo-lab-edited" } : {})),
});

function lineAt(state: EditorState, from: number): { margin: Margin; line: MarginLine } | null {
  const { margin, signs } = state.field(field);
  let line: MarginLine | null = null;
  signs.between(from, from, (_, __, sign) => void (line = sign.line));
  return margin && line && { margin, line };
}

function column(owner: Owner, tooltip: Tooltip): Extension {
  return gutter({
    class: "dynamo-lab-margin",
    markers: (view) => view.state.field(field).signs,
    domEventHandlers: {
      mousemove: (view, block, event) => {
        const found = lineAt(view.state, block.from);
        const text = found && view.state.field(field).isEdited ? `${found.line.says}\nThe cell was edited since.` : found?.line.says;
        tooltip.show(text ?? "", event as MouseEvent);
        return false;
      },
      mouseleave: () => {
        tooltip.hide();
        return false;
      },
      click: (view, block) => {
        const found = lineAt(view.state, block.from);
        if (found) owner.go(found.margin, found.line.goesTo);
        return found !== null;
      },
    },
  });
}

/** The margin of one editor, which is there only while it has something to show. */
export function cellMargin(owner: Owner): Extension {
  const tooltip = new Tooltip();
  const place = new Compartment();
  const plugin = ViewPlugin.define((view) => {
    let isOpen = false;
    let isGone = false;
    let hovered = "";
    const later = (): void => queueMicrotask(look); // an editor cannot change while it is changing
    const look = (): void => {
      if (isGone) return;
      const margin = owner.find(view.state.doc.toString());
      if (margin !== view.state.field(field).margin) view.dispatch({ effects: setMargin.of(margin) });
      const isNeeded = view.state.field(field).signs.size > 0;
      if (isNeeded === isOpen) return;
      isOpen = isNeeded;
      view.dispatch({ effects: place.reconfigure(isOpen ? column(owner, tooltip) : []) });
    };
    const over = (event: MouseEvent): void => {
      const row = event.target instanceof Element ? event.target.closest(".cm-line") : null;
      const found = row && !view.state.field(field).isEdited ? lineAt(view.state, view.state.doc.lineAt(view.posAtDOM(row)).from) : null;
      const { margin } = view.state.field(field);
      const entity = found && found.line.state !== "" ? found.line.goesTo : "";
      if (!margin || entity === hovered) return;
      hovered = entity;
      owner.hover(margin, entity);
    };
    const leave = (): void => {
      const { margin } = view.state.field(field);
      if (margin && hovered) owner.hover(margin, "");
      hovered = "";
    };
    view.contentDOM.addEventListener("mousemove", over);
    view.contentDOM.addEventListener("mouseleave", leave);
    const stop = owner.watch(later);
    later();
    return {
      update: (change) => {
        if (change.docChanged) later();
      },
      destroy: () => {
        isGone = true;
        stop();
        tooltip.hide();
        view.contentDOM.removeEventListener("mousemove", over);
        view.contentDOM.removeEventListener("mouseleave", leave);
      },
    };
  });
  return [field, place.of([]), plugin];
}
