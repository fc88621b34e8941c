// The margins of a page's cells: what the outputs of each say, and who of them it is about.
import type { ICodeCellModel } from "@jupyterlab/cells";
import type { CodeEditor } from "@jupyterlab/codeeditor";
import { hasCommand, linesAbove, type Margin, marginsOf } from "./facts";
import type { Owner } from "./margin";

function isCodeCell(model: CodeEditor.IModel): model is ICodeCellModel {
  return "outputs" in model && "sharedModel" in model && (model as { type?: unknown }).type === "code";
}

interface Watched {
  readonly cell: ICodeCellModel;
  readonly changed: () => void;
  margins: readonly Margin[];
}

/** Finds the live view of a margin, or opens it. */
export interface Views {
  ask(uid: string, asked: { readonly go?: string; readonly hover?: string }): boolean;
  open(cell: ICodeCellModel): Promise<void>;
}

/** Frames to wait for a view that was opened to be drawn. */
const PATIENCE = 300;

export class Cells {
  /** By editor: one cell can be open twice. Those whose outputs changed last come last. */
  private readonly watched = new Set<Watched>();

  constructor(private readonly views: Views) {}

  /** What the margin of this editor may ask; null for editors that are no code cell's. */
  ownerOf(model: CodeEditor.IModel): Owner | null {
    if (!isCodeCell(model)) return null;
    return {
      find: (text) => this.find(model, text),
      watch: (changed) => this.watch(model, changed),
      hover: ({ uid }, entity) => void this.views.ask(uid, { hover: entity }),
      go: ({ uid }, entity) => void this.go(this.cellOf(uid) ?? model, uid, entity),
    };
  }

  private async go(cell: ICodeCellModel, uid: string, entity: string): Promise<void> {
    if (this.views.ask(uid, { go: entity })) return;
    if (!cell.trusted) return; // a notebook of unknown origin opens nothing
    await this.views.open(cell);
    for (let i = 0; i < PATIENCE && !this.views.ask(uid, { go: entity }); i++) await new Promise(requestAnimationFrame);
  }

  /** The cell's own marks, else those that another cell of the notebook brought for this text. */
  private find(cell: ICodeCellModel, text: string): Margin | null {
    const all = [...this.watched].reverse();
    const own = all.find((one) => one.cell === cell)?.margins.find((margin) => hasCommand(margin.code));
    if (own) return own;
    const { notebook } = cell.sharedModel;
    const near = all.filter((one) => one.cell === cell || (notebook !== null && one.cell.sharedModel.notebook === notebook));
    return near.flatMap((one) => one.margins).find((margin) => !hasCommand(margin.code) && linesAbove(text, margin.code) !== null) ?? null;
  }

  private cellOf(uid: string): ICodeCellModel | undefined {
    return [...this.watched].find((one) => one.margins.some((margin) => margin.uid === uid))?.cell;
  }

  private watch(cell: ICodeCellModel, changed: () => void): () => void {
    const one: Watched = { cell, changed, margins: [] };
    const { outputs } = cell;
    const read = (): void => {
      const found = Array.from({ length: outputs.length }, (_, i) => marginsOf(outputs.get(i).metadata)).flat();
      if (found.length === 0 && one.margins.length === 0) return;
      one.margins = found;
      this.watched.delete(one);
      this.watched.add(one);
      for (const other of this.watched) other.changed();
    };
    this.watched.add(one);
    outputs.changed.connect(read);
    read();
    return () => {
      this.watched.delete(one);
      outputs.changed.disconnect(read);
    };
  }
}
