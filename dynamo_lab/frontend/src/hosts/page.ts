// The host of the offline page: data and worker lie in the page, nothing is fetched.
import { effect, signal } from "@preact/signals";
import { decodePage } from "../core/decode";
import { Recordings } from "../core/recordings";
import type { DataSource } from "../core/source";
import type { Store } from "../core/state";
import { addressNow, followAddress } from "../journey/address";
import { mount } from "../mount";

const DATA = "dynamo-lab-data";
const WORKER = "dynamo-lab-worker";
const ROOT = "dynamo-lab";

function asset(): Promise<string> {
  const text = document.getElementById(WORKER)?.textContent;
  return text ? Promise.resolve(text) : Promise.reject(new Error("This page was written without the layout engine."));
}

/** The page's address leads into it, and says what is shown. */
function followHash(store: Store): () => void {
  const asked = location.hash;
  let isLed = asked === "";
  const onHash = (): void => followAddress(store, location.hash);
  addEventListener("hashchange", onHash);
  const stop = effect(() => {
    if (!store.model.value) return;
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

function start(): void {
  const root = document.getElementById(ROOT);
  const data = document.getElementById(DATA);
  if (!root) return;
  const recordings = new Recordings();
  const failure = signal("");
  const source: DataSource = { recordings, progress: signal(null), failure, asset };
  decodePage(data?.textContent ?? "null", data?.getAttribute("data-encoding") ?? null)
    .then((decoded) => {
      recordings.reset(decoded);
      if (!decoded) failure.value = "This page holds no recording.";
    })
    .catch(() => {
      failure.value = "The recording in this page could not be read: the file is damaged or cut short.";
    });
  const unmount = mount(root, source, "page", (_, store) => followHash(store));
  addEventListener("pagehide", (event) => {
    if (!event.persisted) unmount();
  });
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start, { once: true });
else start();
