// The licences of what the bundles contain: they ask to be passed on with the code.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

const PACKAGE = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//;

function packagesIn(metafiles) {
  const names = metafiles.flatMap((meta) => Object.keys(meta.inputs)).map((path) => PACKAGE.exec(path)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}

async function notice(root, name) {
  const folder = join(root, "node_modules", name);
  const { version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const file = (await readdir(folder)).sort().find((entry) => /^licen[sc]e/i.test(entry));
  const text = file ? await readFile(join(folder, file), "utf8") : `Licensed under ${license}.\n`;
  return `${name} ${version} (${license})\n\n${text.replaceAll("\r\n", "\n").trim()}\n`;
}

/** One text with a section for each package that any of the bundles took something from. */
export async function licences(root, metafiles) {
  const notices = await Promise.all(packagesIn(metafiles).map((name) => notice(root, name)));
  return notices.join(`\n${"-".repeat(80)}\n\n`);
}
