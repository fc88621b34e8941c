// A saved notebook's views, live again: the kernel makes each anew from the recording that the notebook keeps.
import type { ICodeCellModel } from "@jupyterlab/cells";
import { type INotebookTracker, NotebookActions, type NotebookPanel } from "@jupyterlab/notebook";
import type { Kernel } from "@jupyterlab/services";
import { ours } from "./facts";
import { tell } from "./messages";
import { WIDGET } from "./panel";

const MIME = "application/vnd.dynamo-lab.recording+json"; // as in Python's model/core/kept.py
const TARGET = "dynamo_lab.kept"; // answered in Python's notebook/revive.py
const LOADS = /^\s*%(re)?load_ext\s+dynamo_lab\b/m;
/** As many as a kernel keeps live: the last ones. */
const MOST = 20;

type Output = Parameters<ICodeCellModel["outputs"]["set"]>[1];

interface KeptView {
  readonly cell: ICodeCellModel;
  readonly uid: string;
  readonly bundle: unknown;
}

/** What the outputs of a notebook keep; where nobody trusts them, nothing comes to life. */
function keptViews(notebook: NotebookPanel): readonly KeptView[] {
  const cells = [...(notebook.model?.cells ?? [])].filter((cell): cell is ICodeCellModel => cell.type === "code" && cell.trusted);
  const found = cells.flatMap((cell) =>
    Array.from({ length: cell.outputs.length }, (_, i) => cell.outputs.get(i)).flatMap(({ data, metadata }) => {
      const uid = ours(metadata)?.uid;
      return typeof uid === "string" && uid !== "" && MIME in data ? [{ cell, uid, bundle: data[MIME] }] : [];
    }),
  );
  return found.slice(-MOST);
}

/** Has the kernel make the view anew. Resolves to its output, or to nothing where it is live already or cannot be read. */
async function askFor({ cell, uid, bundle }: KeptView, kernel: Kernel.IKernelConnection): Promise<Output | null> {
  let output: unknown = null;
  const asked = { uid, cell: cell.id, bundle } as Parameters<typeof tell>[2];
  await tell(kernel, TARGET, asked, ({ content }) => void (output = content.data.output ?? null));
  return output as Output | null;
}

/** Puts the live view in the place of the one that was left of it. */
function put({ cell, uid }: KeptView, output: Output): void {
  const { outputs } = cell;
  const at = Array.from({ length: outputs.length }, (_, i) => outputs.get(i)).findIndex((one) => WIDGET in one.data && ours(one.metadata)?.uid === uid);
  if (at >= 0) outputs.set(at, output);
}

/** Once a cell has loaded dynamo_lab, a notebook's views that no kernel knows are live again. */
export function reviveViews(tracker: INotebookTracker): void {
  NotebookActions.executed.connect((_, { notebook, cell, success }) => {
    if (!success || !LOADS.test(cell.model.sharedModel.getSource())) return;
    const panel = tracker.find((one) => one.content === notebook);
    const kernel = panel?.sessionContext.session?.kernel;
    if (!panel || !kernel?.handleComms) return;
    void (async () => {
      for (const one of keptViews(panel)) {
        const output = await askFor(one, kernel);
        if (output && !one.cell.isDisposed) put(one, output);
      }
    })().catch(() => undefined); // the kernel went again: what stands there stays
  });
}
