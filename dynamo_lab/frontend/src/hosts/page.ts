// The host of the offline page: data and worker lie in the page, nothing is fetched.
import { signal } from "@preact/signals";
import { decodePage } from "../core/decode";
import { Recordings } from "../core/recordings";
import type { DataSource } from "../core/source";
import { mount } from "../mount";

const DATA = "dynamo-lab-data";
const WORKER = "dynamo-lab-worker";
const ROOT = "dynamo-lab";

function asset(): Promise<string> {
  const text = document.getElementById(WORKER)?.textContent;
  return text ? Promise.resolve(text) : Promise.reject(new Error("This page was written without the layout engine."));
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
  const unmount = mount(root, source, "page");
  addEventListener("pagehide", (event) => {
    if (!event.persisted) unmount();
  });
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start, { once: true });
else start();
