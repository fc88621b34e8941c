// Writes offline pages for looking at the UI: node dev/page.mjs view.json ... (into dev/out).
// The same shape as the page that the Python side writes, its Content-Security-Policy included.
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const built = join(here, "..", "..", "render", "assets");
const out = join(here, "out");
const zipped = process.argv.includes("--gzip");

const [script, style, worker] = await Promise.all(
  ["page.js", "style.css", "layout-worker.js"].map((name) => readFile(join(built, name), "utf8")),
);
const escape = (text) => text.replaceAll("<", "\\u003c");
const hash = createHash("sha256").update(script).digest("base64");
const policy = `default-src 'none'; script-src 'sha256-${hash}' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; worker-src blob:; font-src data:`;

await mkdir(out, { recursive: true });
for (const path of process.argv.slice(2).filter((name) => name.endsWith(".json"))) {
  const json = await readFile(path, "utf8");
  const data = zipped ? gzipSync(json).toString("base64") : escape(json);
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width"><title>${basename(path, ".json")}</title><style>${style}</style></head><body>
<div id="dynamo-lab"></div>
<script type="application/json" id="dynamo-lab-data"${zipped ? ' data-encoding="gzip-base64"' : ""}>${data}</script>
<script type="text/plain" id="dynamo-lab-worker">${worker}</script>
<script>${script}</script></body></html>`;
  await writeFile(join(out, basename(path).replace(/json$/, "html")), html);
}
