// Changes that a finding proposes, written into the reader's cell and taken back, each by a click.
import type { ICellModel } from "@jupyterlab/cells";
import type { INotebookModel, INotebookTracker, NotebookPanel } from "@jupyterlab/notebook";
import { type CellEdit, changed, changesOf, newCell } from "./changes";
import type { SidePanels } from "./panel";

/** Asked by ../../src/hosts/extension.ts; who answers puts its hands on `cells`. */
const CELLS = "dynamo-lab-cells";

/** Each says in a sentence why it did nothing; nothing where it did it. */
export interface Cells {
  apply(edit: CellEdit): string;
  undo(edit: CellEdit): string;
  isApplied(edit: CellEdit): boolean;
}

interface Written {
  /** The cell that was changed, or that is new. */
  readonly cell: ICellModel;
  /** Its text before; null for one that is new. */
  readonly before: string | null;
  readonly after: string;
}

const NO_NOTEBOOK = "This view does not stand in its notebook, so nothing was changed.";
const NO_CELL = "The cell is no longer in this notebook: it was deleted, or moved by cutting and pasting. Nothing was changed.";
const LOCKED = "The cell is read-only, so nothing was changed.";
const EDITED_SINCE = "The cell was edited since: to undo would lose that, so nothing was changed. In the cell, Ctrl+Z goes back step by step.";
const NOT_WRITTEN = "Nothing of this was written into the notebook.";

/** Offers the cells of its notebook to each view that asks. */
export function offerCells(page: Document, tracker: INotebookTracker, panels: SidePanels): void {
  const written = new WeakMap<INotebookModel, Map<string, Written>>();
  page.addEventListener(CELLS, (event) => {
    const { target, detail } = event as CustomEvent<{ cells?: Cells } | null>;
    if (detail && target instanceof Element) detail.cells = cellsFor(() => notebookOf(target, tracker, panels)?.model ?? null, written);
  });
}

function notebookOf(view: Element, tracker: INotebookTracker, panels: SidePanels): NotebookPanel | undefined {
  return tracker.find(({ node }) => node.contains(view)) ?? panels.notebookOf(view);
}

const cellOf = (model: INotebookModel, id: string): ICellModel | undefined => [...model.cells].find((one) => one.type === "code" && one.id === id);

function write(model: INotebookModel, cell: ICellModel, edit: CellEdit): Written | string {
  const source = cell.sharedModel;
  const before = source.getSource();
  if (edit.isAbove) {
    const made = newCell(before, edit);
    if (typeof made === "string") return made;
    const at = [...model.cells].indexOf(cell);
    model.sharedModel.insertCell(at, { cell_type: "code", ...made });
    return { cell: model.cells.get(at), before: null, after: made.source };
  }
  if (cell.getMetadata("editable") === false) return LOCKED;
  const changes = changesOf(before, edit);
  if (typeof changes === "string") return changes;
  // as one step, which Ctrl+Z takes back too, and the cursor stays
  source.transact(() => changes.forEach(({ start, end, text }) => source.updateSource(start, end, text)));
  return { cell, before, after: changed(before, changes) };
}

function takeBack(model: INotebookModel, { cell, before, after }: Written): string {
  const at = [...model.cells].indexOf(cell);
  if (at < 0) return before === null ? "" : NO_CELL; // a new one that the reader deleted
  const now = cell.sharedModel.getSource();
  if (now !== after && now !== before) return EDITED_SINCE;
  if (before === null) model.sharedModel.deleteCell(at);
  else if (now === after) cell.sharedModel.setSource(before); // else Ctrl+Z did
  return "";
}

function cellsFor(notebook: () => INotebookModel | null, written: WeakMap<INotebookModel, Map<string, Written>>): Cells {
  const known = (model: INotebookModel): Map<string, Written> => {
    const found = written.get(model) ?? new Map<string, Written>();
    written.set(model, found);
    return found;
  };
  return {
    apply: (edit) => {
      const model = notebook();
      const cell = model && cellOf(model, edit.cell);
      if (!model) return NO_NOTEBOOK;
      if (!cell) return NO_CELL;
      const done = write(model, cell, edit);
      if (typeof done === "string") return done;
      known(model).set(JSON.stringify(edit), done);
      return "";
    },
    undo: (edit) => {
      const model = notebook();
      if (!model) return NO_NOTEBOOK;
      const found = known(model).get(JSON.stringify(edit));
      const why = found ? takeBack(model, found) : NOT_WRITTEN;
      if (why === "") known(model).delete(JSON.stringify(edit));
      return why;
    },
    isApplied: (edit) => {
      const model = notebook();
      return model !== null && known(model).has(JSON.stringify(edit));
    },
  };
}
