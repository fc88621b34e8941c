// The host of the offline page: data and worker lie in the page, nothing is fetched.
import { batch, effect, signal } from "@preact/signals";
import { decodePage } from "../core/decode";
import { Recordings } from "../core/recordings";
import type { DataSource } from "../core/source";
import type { Store } from "../core/state";
import type { Progress, SideBySideView, View } from "../core/types.generated";
import { addressNow, followAddress } from "../journey/address";
import { mount } from "../mount";
import { afterDrawing } from "../ui/after-drawing";

const DATA = "dynamo-lab-data";
/** Of a large recording the answer, painted before the rest is read, and which fields that is: a block each. */
const FIRST = "dynamo-lab-first";
const LATER = "data-later";
const WORKER = "dynamo-lab-worker";
const ROOT = "dynamo-lab";

/** Once the whole file is here: this script runs before its end. */
const arrived = (): Promise<void> =>
  new Promise((done) => {
    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", () => done(), { once: true });
    else done();
  });

async function asset(): Promise<string> {
  await arrived();
  const text = document.getElementById(WORKER)?.textContent;
  if (!text) throw new Error("This page was written without the layout engine.");
  return text;
}

/** The page's address leads into it, and says what is shown. */
function followHash(store: Store, isWhole: () => boolean): () => void {
  const asked = location.hash;
  let isLed = asked === "";
  // the browser takes longer to note an address than we to work it out
  const drawn = afterDrawing();
  const onHash = (): void => {
    drawn.never();
    followAddress(store, location.hash);
  };
  addEventListener("hashchange", onHash);
  const stop = effect(() => {
    if (!store.model.value || !isWhole()) return;
    if (!isLed) {
      isLed = true;
      return followAddress(store, asked);
    }
    const now = `#${addressNow(store)}`;
    // not before the reader chose something: a page that was just opened keeps its plain address
    drawn.never();
    if (store.pin.value === "" && location.hash === "") return;
    drawn.soon(() => now !== location.hash && history.replaceState(null, "", now));
  });
  return () => {
    stop();
    drawn.never();
    removeEventListener("hashchange", onHash);
  };
}

/** What lies in one of the page's data scripts. */
function dataIn<Payload>(name: string): Promise<Payload | null> {
  const element = document.getElementById(name);
  return element ? decodePage<Payload>(element.textContent ?? "null", element.getAttribute("data-encoding")) : Promise.resolve(null);
}

/** Once what was rendered is on the screen. */
const painted = (): Promise<void> => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
/** Once what the reader did meanwhile is done. */
const turn = (): Promise<void> => new Promise((done) => setTimeout(done));

/** The fields that the answer lacks, one after another, so that the page answers in between. */
async function restOf(answer: View, names: readonly string[]): Promise<View> {
  await painted();
  await arrived();
  const fields: Record<string, unknown> = {};
  for (const name of names) {
    await turn();
    fields[name] = await dataIn(`${DATA}-${name}`);
    if (fields[name] === null) throw new Error(`The page lacks its ${name}.`);
  }
  return { ...answer, ...fields };
}

function start(root: HTMLElement): void {
  const recordings = new Recordings();
  const failure = signal("");
  const progress = signal<Progress | null>(null);
  const isWhole = signal(false);
  const source: DataSource = { recordings, progress, failure, asset };
  const read = async (): Promise<View | SideBySideView | null> => {
    const names = document.getElementById(FIRST)?.getAttribute(LATER);
    const answer = names ? await dataIn<View>(FIRST) : null;
    if (!names || !answer) return dataIn(DATA);
    recordings.reset(answer);
    progress.value = { active: true, stage: "Reading the rest of a large recording" };
    return restOf(answer, names.split(" "));
  };
  read()
    .then((decoded) => batch(() => {
      recordings.reset(decoded);
      progress.value = null;
      isWhole.value = true;
      if (!decoded) failure.value = "This page holds no recording.";
    }))
    .catch(() => {
      progress.value = null;
      failure.value = "The recording in this page could not be read: the file is damaged or cut short.";
    });
  const unmount = mount(root, source, "page", (_, store) => followHash(store, () => isWhole.value));
  addEventListener("pagehide", (event) => {
    if (!event.persisted) unmount();
  });
}

const root = document.getElementById(ROOT);
if (root) start(root);
