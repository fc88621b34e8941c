// A recording in a panel on the right of its notebook, from the bundle of an output that shows one.
import type { JupyterFrontEnd } from "@jupyterlab/application";
import { MainAreaWidget } from "@jupyterlab/apputils";
import type { ICodeCellModel } from "@jupyterlab/cells";
import type { NotebookPanel } from "@jupyterlab/notebook";
import type { IRenderMime } from "@jupyterlab/rendermime";
import { Panel } from "@lumino/widgets";

export const WIDGET = "application/vnd.jupyter.widget-view+json";

export type Bundle = IRenderMime.IMimeModel["data"];

const SHOWN = "dynamo-lab-in-panel"; // a cell whose recording is in the panel now: `%lab` says so there

/** Where it is added: on the right of its notebook, or in a tab after it. */
export type Mode = "split-right" | "tab-after";

export class SidePanels {
  private readonly open = new Map<NotebookPanel, MainAreaWidget<Panel>>();

  constructor(private readonly app: JupyterFrontEnd) {}

  /** Shows the widget of a bundle beside its notebook or in a tab, in place of what was there; nothing where its origin is not trusted. */
  async show(notebook: NotebookPanel, data: Bundle, isTrusted: boolean, mode: Mode = "split-right"): Promise<void> {
    const { rendermime } = notebook.content;
    // a widget is code: as in the cell itself, one that came with the notebook stays text until somebody trusts it
    if (notebook.isDisposed || rendermime.preferredMimeType(data, isTrusted ? "any" : "ensure") !== WIDGET) return;
    const view = rendermime.createRenderer(WIDGET);
    await view.renderModel(rendermime.createModel({ data, trusted: isTrusted }));
    const { content } = this.panelOf(notebook, mode);
    for (const old of [...content.widgets]) old.dispose();
    content.addWidget(view);
    markCells(notebook, modelOf(data));
  }

  /** The notebook beside which a view is shown. */
  notebookOf(view: Element): NotebookPanel | undefined {
    return [...this.open].find(([, panel]) => panel.node.contains(view))?.[0];
  }

  private panelOf(notebook: NotebookPanel, mode: Mode): MainAreaWidget<Panel> {
    const found = this.open.get(notebook);
    if (found && mode === "tab-after") this.app.shell.activateById(found.id);
    if (found) return found;
    const made = new MainAreaWidget({ content: new Panel() });
    made.id = `dynamo-lab-${notebook.id}`;
    made.title.label = `dynamo_lab: ${notebook.title.label}`;
    made.title.closable = true;
    made.content.addClass("dynamo-lab-panel");
    const close = (): void => made.dispose();
    notebook.disposed.connect(close);
    made.disposed.connect(() => {
      notebook.disposed.disconnect(close);
      this.open.delete(notebook);
      if (!notebook.isDisposed) markCells(notebook, undefined);
    });
    this.open.set(notebook, made);
    this.app.shell.add(made, "main", { mode, ref: notebook.id, activate: mode === "tab-after" });
    return made;
  }
}

/** The widget of a bundle: views of one recording share it. */
function modelOf(data: Bundle): unknown {
  return (data[WIDGET] as { model_id?: unknown } | undefined)?.model_id;
}

/** Marks the cells with an output of a widget, and no others. */
function markCells({ content }: NotebookPanel, model: unknown): void {
  for (const { model: cell, node } of content.widgets) {
    const outputs = cell.type === "code" ? (cell as ICodeCellModel).outputs : undefined;
    const models = Array.from({ length: outputs?.length ?? 0 }, (_, i) => modelOf(outputs!.get(i).data));
    node.classList.toggle(SHOWN, model !== undefined && models.includes(model));
  }
}
