// The host of the offline page: data and worker lie in the page, nothing is fetched.
import { signal } from "@preact/signals";
import { decodePage } from "../decode";
import { mount } from "../mount";
import type { DataSource } from "../source";
import type { View } from "../types";

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
  const view = signal<View | null>(null);
  const failure = signal("");
  const source: DataSource = { view, progress: signal(null), failure, asset };
  decodePage(data?.textContent ?? "null", data?.getAttribute("data-encoding") ?? null)
    .then((decoded) => {
      view.value = decoded;
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
