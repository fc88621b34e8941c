// Changes that a finding proposes, written into the reader's cell and taken back, each by a click.
import type { ICellModel } from "@jupyterlab/cells";
import type { INotebookTracker, NotebookPanel } from "@jupyterlab/notebook";
import { type CellEdit, changed, changesOf } from "./changes";
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
  readonly edit: string;
  readonly before: string;
  readonly after: string;
}

const NO_NOTEBOOK = "This view does not stand in its notebook, so nothing was changed.";
const NO_CELL = "The cell is no longer in this notebook: it was deleted, or moved by cutting and pasting. Nothing was changed.";
const LOCKED = "The cell is read-only, so nothing was changed.";
const EDITED_SINCE = "The cell was edited since: to undo would lose that, so nothing was changed. In the cell, Ctrl+Z goes back step by step.";
const NOT_WRITTEN = "Nothing of this was written into the cell.";

/** Offers the cells of its notebook to each view that asks. */
export function offerCells(page: Document, tracker: INotebookTracker, panels: SidePanels): void {
  const written = new WeakMap<ICellModel, Written>();
  page.addEventListener(CELLS, (event) => {
    const { target, detail } = event as CustomEvent<{ cells?: Cells } | null>;
    if (detail && target instanceof Element) detail.cells = cellsFor(() => notebookOf(target, tracker, panels), written);
  });
}

function notebookOf(view: Element, tracker: INotebookTracker, panels: SidePanels): NotebookPanel | undefined {
  return tracker.find(({ node }) => node.contains(view)) ?? panels.notebookOf(view);
}

function cellsFor(notebook: () => NotebookPanel | undefined, written: WeakMap<ICellModel, Written>): Cells {
  const find = (edit: CellEdit): ICellModel | string => {
    const panel = notebook();
    if (!panel?.model) return NO_NOTEBOOK;
    const cell = [...panel.model.cells].find((one) => one.type === "code" && one.id === edit.cell);
    return cell ?? NO_CELL;
  };
  const writtenOf = (cell: ICellModel, edit: CellEdit): Written | undefined => {
    const found = written.get(cell);
    return found?.edit === JSON.stringify(edit) ? found : undefined;
  };
  return {
    apply: (edit) => {
      const cell = find(edit);
      if (typeof cell === "string") return cell;
      if (cell.getMetadata("editable") === false) return LOCKED;
      const source = cell.sharedModel;
      const before = source.getSource();
      const changes = changesOf(before, edit);
      if (typeof changes === "string") return changes;
      written.set(cell, { edit: JSON.stringify(edit), before, after: changed(before, changes) });
      // as one step, which Ctrl+Z takes back too, and the cursor stays
      source.transact(() => changes.forEach(({ start, end, text }) => source.updateSource(start, end, text)));
      return "";
    },
    undo: (edit) => {
      const cell = find(edit);
      if (typeof cell === "string") return cell;
      const found = writtenOf(cell, edit);
      if (!found) return NOT_WRITTEN;
      const now = cell.sharedModel.getSource();
      if (now !== found.after && now !== found.before) return EDITED_SINCE;
      if (now === found.after) cell.sharedModel.setSource(found.before); // else Ctrl+Z did
      written.delete(cell);
      return "";
    },
    isApplied: (edit) => {
      const cell = find(edit);
      return typeof cell !== "string" && writtenOf(cell, edit) !== undefined;
    },
  };
}
