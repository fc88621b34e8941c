// What holds the front-end's house together: no circle of imports (those of types counted), folders and
// files that can be overlooked. `npm run check` fails where this finds something.
import { readdir, readFile } from "node:fs/promises";
import { dirname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";

export const MOST_FILES = 20;
export const MOST_LINES = 350;

/** What the rooms below the parts may import, beside themselves. */
const FLOORS = { core: [], layout: ["core"], ui: ["core", "layout"] };

const IMPORT = /\b(?:from|import)\s*\(?\s*"(\.[^"]+)"/g;
const CODE = /\.tsx?$/;
const GENERATED = /\.generated\.ts$/;

/** The files of some folders with their texts, by their paths below `root`. */
export async function filesOf(root, folders) {
  const found = new Map();
  for (const folder of folders) {
    for (const entry of await readdir(join(root, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      found.set(relative(root, path), await readFile(path, "utf8"));
    }
  }
  return found;
}

/** What each file of TypeScript imports of the others. */
function importsOf(files) {
  const resolve = (from, to) => {
    const path = normalize(join(dirname(from), to));
    return [path, `${path}.ts`, `${path}.tsx`].find((one) => files.has(one));
  };
  const code = [...files].filter(([path]) => CODE.test(path));
  return new Map(code.map(([path, text]) => [path, [...text.matchAll(IMPORT)].flatMap(([, to]) => resolve(path, to) ?? [])]));
}

/** Files that import each other, the shortest way round from each that is in one; each circle once. */
export function circles(files) {
  const imports = importsOf(files);
  const wayBack = (start) => {
    const from = new Map([[start, ""]]);
    for (const path of from.keys()) {
      for (const to of imports.get(path) ?? []) {
        if (to !== start && !from.has(to)) from.set(to, path);
        if (to !== start) continue;
        const way = [];
        for (let at = path; at !== ""; at = from.get(at)) way.unshift(at);
        return way;
      }
    }
    return [];
  };
  const found = new Map();
  for (const path of imports.keys()) {
    const way = wayBack(path);
    const members = [...way].sort().join();
    if (way.length > 0 && !found.has(members)) found.set(members, way);
  }
  return [...found.values()];
}

/** Imports of what stands above: core knows no part, and nothing but an entry point knows its host. */
export function climbing(files) {
  const allowed = (from, to) => to === from || (FLOORS[from] ? FLOORS[from].includes(to) : to !== "hosts");
  const room = (path) => /^src\/([^/]+)\//.exec(path)?.[1] ?? "";
  const pairs = [...importsOf(files)].flatMap(([from, all]) => all.map((to) => [from, to]));
  return pairs.filter(([from, to]) => room(from) && room(to) && !allowed(room(from), room(to)));
}

/** Folders with too many files. */
export function crowded(files) {
  const counts = new Map();
  for (const path of files.keys()) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  return [...counts].filter(([, count]) => count > MOST_FILES);
}

/** Files with too many lines, those that a script writes excepted. */
export function long(files) {
  const lines = [...files].filter(([path]) => !GENERATED.test(path)).map(([path, text]) => [path, text.split("\n").length - 1]);
  return lines.filter(([, count]) => count > MOST_LINES);
}

/** Sentences on what does not hold. */
export function complaints(files) {
  return [
    ...circles(files).map((way) => `These import each other: ${[...way, way[0]].join(" -> ")}.`),
    ...climbing(files).map(([from, to]) => `${from} imports ${to}, which stands above it.`),
    ...crowded(files).map(([folder, count]) => `${folder} has ${count} files: divide it, ${MOST_FILES} are the most.`),
    ...long(files).map(([path, count]) => `${path} has ${count} lines: divide it, ${MOST_LINES} are the most.`),
  ];
}

const self = fileURLToPath(import.meta.url);
if (process.argv[1] === self) {
  const found = complaints(await filesOf(join(dirname(self), ".."), ["src", "test", "scripts", "dev", "labextension/src"]));
  for (const one of found) console.error(one);
  process.exitCode = found.length > 0 ? 1 : 0;
}
