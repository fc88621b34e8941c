// Builds the committed bundle. Deterministic: the same sources and lock file give the same bytes,
// so CI can rebuild and fail on a difference.
import { build, context } from "esbuild";
import { readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { licences } from "./licences.mjs";
import { nest } from "./nest.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const out = join(root, "..", "render", "assets");

const shared = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  charset: "ascii", // the bundles travel inside HTML and JSON: no surprise from an encoding
  legalComments: "none", // they stand in third-party-licences.txt
  target: ["es2022"],
  jsx: "automatic",
  jsxImportSource: "preact",
  logLevel: "warning",
};

const bundles = [
  { entryPoints: ["src/hosts/widget.ts"], outfile: join(out, "widget.js"), format: "esm" },
  { entryPoints: ["src/hosts/starter.ts"], outfile: join(out, "starter.js"), format: "esm" },
  { entryPoints: ["src/hosts/page.ts"], outfile: join(out, "page.js"), format: "iife" },
  { entryPoints: ["src/hosts/loader.ts"], outfile: join(out, "loader.js"), format: "iife" },
  { entryPoints: ["src/layout/worker.ts"], outfile: join(out, "layout-worker.js"), format: "iife" },
  { entryPoints: ["src/style/main.css"], outfile: join(out, "style.css") },
];

if (process.argv.includes("--watch")) {
  for (const bundle of bundles) await (await context({ ...shared, ...bundle })).watch();
} else {
  const built = await Promise.all(bundles.map((bundle) => build({ ...shared, ...bundle, metafile: true })));
  const style = join(out, "style.css");
  await writeFile(style, nest(await readFile(style, "utf8")));
  const text = await licences(root, built.map(({ metafile }) => metafile));
  await writeFile(join(out, "third-party-licences.txt"), text);
  for (const { outfile } of bundles) {
    const { size } = await stat(outfile);
    console.log(`${(size / 1000).toFixed(0).padStart(6)} kB  ${outfile.slice(out.length + 1)}`);
  }
}
