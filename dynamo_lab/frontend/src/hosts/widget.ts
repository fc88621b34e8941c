// The host in a notebook: an ESM for anywidget, data from the live kernel.
import { signal } from "@preact/signals";
import { asBytes, decode } from "../core/decode";
import { Recordings } from "../core/recordings";
import type { DataSource, SaveKind } from "../core/source";
import type { ThemeChoice } from "../core/theme";
import type { AnswerMessage, Progress, RanMessage, SideBySideView, View } from "../core/types.generated";
import { editingPart } from "../kernels/editing";
import { followAddressOnce } from "../journey/address";
import { mount } from "../mount";
import { livePlayground } from "../playground/live";
import { download } from "../ui/download";
import { Assets } from "./assets";
import { cellsAround, followExtension, handedTo, hasExtension, openTab } from "./extension";
import { type AskMessage, Questions } from "./questions";
import { KernelRuns, type RunMessage } from "./runs";

interface Traits {
  payload: DataView | ArrayBuffer | null;
  progress: Progress | null;
  uid: string;
  can_run: boolean;
  /** Where JupyterLab's extension shows it; other hosts show it where it is. */
  place: string;
  theme: ThemeChoice;
  /** Whether it stands below the cell whose margin shows the same marks, where JupyterLab's extension draws it. */
  marked: boolean;
}

type Message = { readonly type: "asset" | "file"; readonly name: string } | AnswerMessage | RanMessage;
type Request =
  | { readonly type: "asset"; readonly name: string }
  | { readonly type: "save"; readonly what: SaveKind; readonly of: string }
  | AskMessage
  | RunMessage
  | { readonly type: "stop" };
type CustomListener = (message: Message, buffers: readonly DataView[]) => void;

interface WidgetModel {
  get<K extends keyof Traits>(name: K): Traits[K];
  on(event: `change:${keyof Traits}`, listener: () => void): void;
  on(event: "msg:custom", listener: CustomListener): void;
  off(event: `change:${keyof Traits}`, listener: () => void): void;
  off(event: "msg:custom", listener: CustomListener): void;
  send(content: Request): void;
}

/** A page of a large model takes the kernel a few seconds to write. */
const SAVE_PATIENCE_MS = 20_000;
const GONE = "The kernel does not answer: it is busy, or it has gone.";

interface SavedFile {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

function isEmpty(progress: Progress | null): boolean {
  return !progress || progress.stage === undefined;
}

/** Hides the static copy of this view that a saved notebook keeps beside the widget. */
function hideFallback(uid: string): HTMLStyleElement {
  const style = document.createElement("style");
  style.textContent = `[data-dynamo-lab-static="${CSS.escape(uid)}"]{display:none}`;
  return style;
}

function connect(model: WidgetModel): { source: DataSource; close: () => void } {
  const recordings = new Recordings();
  const shown = (): string => recordings.shown.peek()?.label ?? "";
  const progress = signal<Progress | null>(null);
  const failure = signal("");
  const assets = new Assets((name) => model.send({ type: "asset", name }));
  const runs = new KernelRuns((message) => model.send(message));
  const questions = new Questions((message) => model.send({ of: shown(), ...message }));
  let latest = 0;
  let saved: ((made: SavedFile) => void) | null = null;

  const onPayload = (): void => {
    const payload = model.get("payload");
    const turn = ++latest; // decoding is not in order: an older payload must not replace a newer one
    decode<View | SideBySideView>(payload ? asBytes(payload) : new Uint8Array())
      .then((decoded) => {
        if (turn !== latest) return;
        recordings.reset(decoded);
        failure.value = "";
      })
      .catch(() => {
        if (turn === latest) failure.value = "The view that the kernel sent could not be read. Run the cell again.";
      });
  };
  const onProgress = (): void => {
    const now = model.get("progress");
    progress.value = isEmpty(now) ? null : now;
  };
  const onMessage: CustomListener = (message, buffers) => {
    if (message.type === "answer") return questions.receive(message);
    const buffer = buffers[0];
    if (message.type === "ran") return runs.receive(message, buffer);
    if (!buffer) return;
    if (message.type === "asset") assets.receive(message.name, new TextDecoder().decode(asBytes(buffer)));
    if (message.type === "file") {
      saved?.({ name: message.name, bytes: asBytes(buffer) });
      saved = null;
    }
  };

  const onCanRun = (): void => void (runs.ready.value = model.get("can_run") ?? false);

  model.on("change:can_run", onCanRun);
  model.on("change:payload", onPayload);
  model.on("change:progress", onProgress);
  model.on("msg:custom", onMessage);
  onPayload();
  onProgress();
  onCanRun();
  const close = (): void => {
    latest++;
    runs.close();
    questions.close();
    model.off("change:can_run", onCanRun);
    model.off("change:payload", onPayload);
    model.off("change:progress", onProgress);
    model.off("msg:custom", onMessage);
    assets.close();
  };
  const file = (what: SaveKind): Promise<SavedFile> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(GONE)), SAVE_PATIENCE_MS);
      saved = (made) => {
        clearTimeout(timer);
        resolve(made);
      };
      model.send({ type: "save", what, of: shown() });
    });
  const save = async (what: SaveKind): Promise<void> => {
    const { name, bytes } = await file(what);
    download(name, bytes);
  };
  const popOut = async (root: HTMLElement, address: string): Promise<void> => {
    if (await openTab(root, address)) return;
    const page = await file("html");
    const url = URL.createObjectURL(new Blob([page.bytes], { type: "text/html" }));
    if (!open(`${url}#${address}`, "_blank")) throw new Error("The browser opened no window: allow this page to open one, or save the page.");
  };
  return { source: { recordings, runs, progress, failure, asset: (name) => assets.get(name), save, popOut, ask: questions.ask, cells: cellsAround, Editing: editingPart(), playground: livePlayground() }, close };
}

function render({ model, el }: { model: WidgetModel; el: HTMLElement }): () => void {
  const { source, close } = connect(model);
  const uid = model.get("uid") ?? "";
  const root = document.createElement("div");
  root.className = "dynamo-lab-live";
  root.dataset.uid = uid;
  root.dataset.place = model.get("place") ?? "";
  const style = hideFallback(uid);
  el.append(style, root);
  const unmount = mount(root, source, "widget", (at, store) => {
    store.theme.value = model.get("theme") ?? "auto";
    store.margin.value = (model.get("marked") ?? false) && hasExtension();
    followAddressOnce(store, handedTo(uid));
    return followExtension(at, store);
  });
  return () => {
    unmount();
    close();
    root.remove();
    style.remove();
  };
}

export default { render };
