// JupyterLab's side of dynamo_lab: marks and changes in cells, the side panel, the command, the settings.
import { ILabShell, type JupyterFrontEnd, type JupyterFrontEndPlugin } from "@jupyterlab/application";
import { ICommandPalette, Notification } from "@jupyterlab/apputils";
import type { ICodeCellModel } from "@jupyterlab/cells";
import { EditorExtensionRegistry, IEditorExtensionRegistry } from "@jupyterlab/codemirror";
import { INotebookTracker, NotebookActions, type NotebookPanel } from "@jupyterlab/notebook";
import { KernelMessage } from "@jupyterlab/services";
import { ISettingRegistry } from "@jupyterlab/settingregistry";
import { Cells, type Views } from "./cells";
import { offerCells } from "./edits";
import { NAME, ours } from "./facts";
import { cellMargin } from "./margin";
import { tell } from "./messages";
import { type Bundle, SidePanels, WIDGET } from "./panel";
import { reviveViews } from "./revive";

const ID = "dynamo-lab:plugin";
const OPEN = "dynamo-lab:open";
const COMMAND = /^\s*%(%compile|%record|lab)\b/m;
const LEAST = 160; // pixels of a view in sight are enough not to scroll the notebook
const ASK = "dynamo-lab-ask"; // heard in ../../src/hosts/extension.ts
const OPEN_VIEW = "dynamo-lab-open"; // asked there

/** The live views of a recording on this page, and what is left of one that is gone. */
function viewsOn(page: Document, panels: SidePanels, tracker: INotebookTracker): Views {
  const isDrawn = (element: Element): boolean => element.getClientRects().length > 0;
  const bringIntoSight = (element: Element): void => {
    const { top, bottom } = element.getBoundingClientRect();
    if (bottom < LEAST || top > innerHeight - LEAST) element.scrollIntoView({ block: "nearest" });
  };
  return {
    ask: (uid, detail) => {
      const live = [...page.querySelectorAll<HTMLElement>(".dynamo-lab-live")].filter((one) => one.dataset.uid === uid);
      for (const one of live) one.dispatchEvent(new CustomEvent(ASK, { detail }));
      const lasting = [...page.querySelectorAll<HTMLElement>(".dynamo-lab-static")].filter((one) => one.dataset.dynamoLabStatic === uid);
      const drawn = [...live, ...lasting].find(isDrawn);
      if (drawn && detail.go) bringIntoSight(drawn);
      return drawn !== undefined;
    },
    open: async (cell) => {
      const { outputs, trusted } = cell;
      const found = Array.from({ length: outputs.length }, (_, i) => outputs.get(i)).find((one) => ours(one.metadata)?.place && WIDGET in one.data);
      const notebook = tracker.find((one) => [...(one.model?.cells ?? [])].includes(cell as ICodeCellModel));
      if (found && notebook) await panels.show(notebook, found.data, trusted);
    },
  };
}

/** Opens a view that asks for it in a tab of its own. */
function offerTabs(page: Document, tracker: INotebookTracker, panels: SidePanels): void {
  page.addEventListener(OPEN_VIEW, (event) => {
    const { target, detail } = event as CustomEvent<{ opened?: Promise<boolean> } | null>;
    const view = target instanceof HTMLElement ? target.closest<HTMLElement>(".dynamo-lab-live") : null;
    const notebook = view && tracker.find(({ node }) => node.contains(view));
    if (!detail || !view || !notebook) return;
    const cells = [...(notebook.model?.cells ?? [])].filter((cell): cell is ICodeCellModel => cell.type === "code");
    const outputs = cells.flatMap(({ outputs: all }) => Array.from({ length: all.length }, (_, i) => all.get(i)));
    const own = outputs.find(({ data, metadata }) => WIDGET in data && ours(metadata)?.uid === view.dataset.uid);
    // it is live: whoever runs it trusts it
    if (own) detail.opened = panels.show(notebook, own.data as Bundle, true, "tab-after").then(() => true);
  });
}

/** Opens the panel when a kernel shows something that belongs there. */
function followKernels(tracker: INotebookTracker, panels: SidePanels): void {
  const followed = new WeakSet<object>(); // a second view of a notebook has the same session
  const follow = ({ sessionContext }: NotebookPanel): void => {
    if (followed.has(sessionContext)) return;
    followed.add(sessionContext);
    sessionContext.iopubMessage.connect((_, message) => {
      if (!KernelMessage.isDisplayDataMsg(message)) return;
      const { data, metadata } = message.content;
      const notebook = tracker.find((one) => one.sessionContext === sessionContext);
      // what a kernel says now somebody ran here: it is as trusted as the output of the cell
      if (notebook && ours(metadata)?.place === "panel" && WIDGET in data) void panels.show(notebook, data as Bundle, true);
    });
  };
  tracker.forEach(follow);
  tracker.widgetAdded.connect((_, notebook) => follow(notebook));
}

/** Tells the kernel our settings ahead of each cell that uses a command of ours: it asks nobody. */
function tellSettings(tracker: INotebookTracker, settings: ISettingRegistry.ISettings): void {
  NotebookActions.executionScheduled.connect((_, { notebook, cell }) => {
    const kernel = tracker.find((one) => one.content === notebook)?.sessionContext.session?.kernel;
    if (!kernel?.handleComms || !COMMAND.test(cell.model.sharedModel.getSource())) return;
    const { detail, display, keep } = settings.composite;
    tell(kernel, NAME, { detail: String(detail), display: String(display), keep: String(keep) }).catch(() => undefined);
  });
}

/** Has the kernel show what it recorded last; its answer opens the panel. */
async function openLast(notebook: NotebookPanel | null): Promise<void> {
  const kernel = notebook?.sessionContext.session?.kernel;
  if (!kernel) return say("Open a notebook first: a recording is in its kernel.");
  const reply = await kernel.requestExecute({ code: "%lab", store_history: false }).done;
  if (reply.content.status !== "error") return;
  const { evalue } = reply.content;
  say(/not found/.test(evalue) ? "Nothing is recorded in this notebook yet: run %load_ext dynamo_lab, and a cell with %%compile." : evalue);
}

function say(sentence: string): void {
  Notification.warning(sentence, { autoClose: 8_000 });
}

const plugin: JupyterFrontEndPlugin<void> = {
  id: ID,
  description: "Marks of dynamo_lab in cells, and its recordings in a side panel.",
  autoStart: true,
  requires: [INotebookTracker, IEditorExtensionRegistry, ISettingRegistry],
  optional: [ICommandPalette, ILabShell],
  activate: async (app: JupyterFrontEnd, tracker: INotebookTracker, editors: IEditorExtensionRegistry, registry: ISettingRegistry, palette: ICommandPalette | null, lab: ILabShell | null) => {
    const panels = new SidePanels(app);
    const cells = new Cells(viewsOn(document, panels, tracker));
    offerCells(document, tracker, panels);
    if (lab) offerTabs(document, tracker, panels);
    reviveViews(tracker);
    editors.addExtension({
      name: "dynamo-lab:margin",
      factory: ({ model }) => {
        const owner = cells.ownerOf(model);
        return owner && EditorExtensionRegistry.createImmutableExtension(cellMargin(owner));
      },
    });
    if (lab) { // Jupyter Notebook has room for one document: there, views stay below their cells
      document.body.dataset.dynamoLabPanels = "";
      followKernels(tracker, panels);
      app.commands.addCommand(OPEN, { label: "dynamo_lab: open the last recording", execute: () => openLast(tracker.currentWidget) });
      palette?.addItem({ command: OPEN, category: "Notebook Operations" });
    }
    const settings = await registry.load(ID);
    tellSettings(tracker, settings);
    const dress = (): void => void (document.body.dataset.dynamoLabTheme = String(settings.composite.theme));
    settings.changed.connect(dress);
    dress();
  },
};

export default plugin;
