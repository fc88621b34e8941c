// Unpacks the page's script, which travels compressed: it is two fifths of its size then. The page's
// policy knows both scripts by their hashes.
import { fromBase64, gunzip } from "../core/decode";

const SCRIPT = "dynamo-lab-script";
const ROOT = "dynamo-lab";

function run(code: string): void {
  const script = document.createElement("script");
  script.textContent = code;
  document.body.append(script);
}

function fail(): void {
  const root = document.getElementById(ROOT);
  if (root) {
    root.textContent =
      "This page could not be opened: it is damaged or cut short, or the browser is older than 2023.";
  }
}

async function load(): Promise<void> {
  const packed = document.getElementById(SCRIPT)?.textContent ?? "";
  run(await gunzip(fromBase64(packed)));
}

load().catch(fail);
