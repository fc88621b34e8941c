// The host of the offline page: data and worker lie in the page, nothing is fetched.
import { batch, effect, signal } from "@preact/signals";
import { decodePage } from "../core/decode";
import { Recordings } from "../core/recordings";
import type { DataSource } from "../core/source";
import type { Store } from "../core/state";
import type { Progress } from "../core/types.generated";
import { addressNow, followAddress } from "../journey/address";
import { mount } from "../mount";

const DATA = "dynamo-lab-data";
/** Of a large recording the answer, painted while the rest is read. */
const FIRST = "dynamo-lab-first";
const WORKER = "dynamo-lab-worker";
const ROOT = "dynamo-lab";

function asset(): Promise<string> {
  const text = document.getElementById(WORKER)?.textContent;
  return text ? Promise.resolve(text) : Promise.reject(new Error("This page was written without the layout engine."));
}

/** The page's address leads into it, and says what is shown. */
function followHash(store: Store, isWhole: () => boolean): () => void {
  const asked = location.hash;
  let isLed = asked === "";
  const onHash = (): void => followAddress(store, location.hash);
  addEventListener("hashchange", onHash);
  const stop = effect(() => {
    if (!store.model.value || !isWhole()) return;
    if (!isLed) {
      isLed = true;
      return followAddress(store, asked);
    }
    const now = `#${addressNow(store)}`;
    // not before the reader chose something: a page that was just opened keeps its plain address
    if (now !== location.hash && (store.pin.value !== "" || location.hash !== "")) history.replaceState(null, "", now);
  });
  return () => {
    stop();
    removeEventListener("hashchange", onHash);
  };
}

/** What lies in one of the page's data scripts. */
function dataIn(element: HTMLElement): ReturnType<typeof decodePage> {
  return decodePage(element.textContent ?? "null", element.getAttribute("data-encoding"));
}

/** Once what was rendered is on the screen. */
const painted = (): Promise<void> => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));

function start(): void {
  const root = document.getElementById(ROOT);
  const data = document.getElementById(DATA);
  if (!root) return;
  const recordings = new Recordings();
  const failure = signal("");
  const progress = signal<Progress | null>(null);
  const isWhole = signal(false);
  const source: DataSource = { recordings, progress, failure, asset };
  const showFirst = async (): Promise<void> => {
    const first = document.getElementById(FIRST);
    if (!first) return;
    recordings.reset(await dataIn(first));
    progress.value = { active: true, stage: "Reading the rest of a large recording" };
    await painted();
  };
  showFirst()
    .then(() => (data ? dataIn(data) : null))
    .then((decoded) => batch(() => {
      recordings.reset(decoded);
      progress.value = null;
      isWhole.value = true;
      if (!decoded) failure.value = "This page holds no recording.";
    }))
    .catch(() => {
      failure.value = "The recording in this page could not be read: the file is damaged or cut short.";
    });
  const unmount = mount(root, source, "page", (_, store) => followHash(store, () => isWhole.value));
  addEventListener("pagehide", (event) => {
    if (!event.persisted) unmount();
  });
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start, { once: true });
else start();
