// What the colours of a diagram mean: each node has a class of the legend, a module a share of each.
import { moduleNodes } from "../../core/kin";
import { KINDS } from "../../core/tables.generated";
import type { GraphView, KernelView } from "../../core/types.generated";
import { bytesText, seconds } from "../../core/words";
import type { GraphIndex } from "../graph-index";

export const COLOUR_MODES = ["kind", "dtype", "module", "memory", "kernel", "time"] as const;
export type ColourMode = (typeof COLOUR_MODES)[number];

/** A row of the legend; `look` is a class of the style sheet. */
export interface Entry {
  readonly label: string;
  readonly look: string;
}

export interface Colouring {
  readonly mode: ColourMode;
  readonly title: string;
  readonly entries: readonly Entry[];
  /** Entries that no node has. */
  readonly hidden: ReadonlySet<number>;
  /** The entry of a node, -1 for none. */
  entryOf(index: GraphIndex, node: number): number;
  /** What the second line of a node's box says instead; empty for the usual. */
  detailOf(index: GraphIndex, node: number): string;
  /** How much of a module's bar a node takes. */
  weightOf(index: GraphIndex, node: number): number;
}

/** Hues in the palette (style/colours.css), distinguishable with any colour vision. */
const HUES = 8;
/** Neighbours in a legend are far apart in hue. */
const ORDER = [0, 2, 4, 3, 7, 5, 1, 6] as const;
const hue = (i: number): string => `dl-r${ORDER[i % HUES]}`;
const STEPS = 5;
const OTHER = "dl-k-other";

/** graph, node, seconds, text */
export type Timed = readonly (readonly [number, number, number, string])[];

type Naming = (index: GraphIndex, node: number) => string;

const count = (): number => 1;
const usual = (): string => "";
const NONE: ReadonlySet<number> = new Set();

/** One hue for each of the names, and grey for the rest. */
function categories(mode: ColourMode, title: string, names: readonly string[], rest: string, naming: Naming): Colouring {
  const entries = names.map((label, i) => ({ label, look: hue(i) }));
  const places = new Map(names.map((name, i) => [name, i]));
  const last = rest ? [{ label: rest, look: OTHER }] : [];
  return {
    mode, title, entries: [...entries, ...last], hidden: NONE, weightOf: count, detailOf: usual,
    entryOf: (index, node) => {
      const name = naming(index, node);
      return name === "" ? -1 : (places.get(name) ?? (rest ? names.length : -1));
    },
  };
}

/** The names by how many nodes they have, as many as there are hues. */
function commonest(index: GraphIndex, naming: Naming): readonly [names: string[], more: boolean] {
  const counts = new Map<string, number>();
  for (let node = 0; node < index.size; node++) {
    const name = naming(index, node);
    if (name) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const names = [...counts].sort((a, b) => b[1] - a[1]).map(([name]) => name);
  return [names.slice(0, HUES), names.length > HUES];
}

function byKind(index: GraphIndex): Colouring {
  const there = new Set(Array.from({ length: index.size }, (_, node) => index.kind(node)));
  const all = categories("kind", "kind of operator", KINDS, there.has("other") ? "other" : "", (of, node) => {
    const kind = of.kind(node);
    return kind === "input" || kind === "output" ? "" : kind;
  });
  // A kind keeps its hue in every graph; the legend names those that there are.
  return { ...all, hidden: new Set(KINDS.flatMap((kind, i) => (there.has(kind) ? [] : [i]))) };
}

const dtypeOf: Naming = (index, node) => /([a-z]\w*)\[/i.exec(index.value(node))?.[1] ?? "";

function byDtype(index: GraphIndex): Colouring {
  const [names, more] = commonest(index, dtypeOf);
  return categories("dtype", "dtype of the value", names, more ? "other dtypes" : "", dtypeOf);
}

/** Modules that divide the graph into as many groups as there are hues: the largest is divided first. */
function moduleGroups(graph: GraphView): number[] {
  const sizes = graph.modules.map((_, module) => moduleNodes(graph, module).length);
  let groups = [...(graph.modules[0]?.children ?? [])];
  for (;;) {
    const divisible = groups.filter((module) => graph.modules[module].children.some((child) => !groups.includes(child)));
    const largest = divisible.sort((a, b) => sizes[b] - sizes[a]).at(0);
    if (largest === undefined) break;
    const { nodes, children } = graph.modules[largest];
    const wider = groups.flatMap((module) => (module !== largest ? [module] : nodes.length > 0 ? [module, ...children] : children));
    if (wider.length > HUES) break;
    groups = wider;
  }
  return groups.sort((a, b) => sizes[b] - sizes[a]).slice(0, HUES);
}

function byModule(index: GraphIndex): Colouring {
  const { graph } = index;
  const groups = moduleGroups(graph);
  const of = new Array<string>(index.size).fill("");
  // The outer ones first, so that a group within another keeps its own nodes.
  const outerFirst = [...groups].sort((a, b) => graph.modules[a].path.length - graph.modules[b].path.length);
  for (const module of outerFirst) for (const node of moduleNodes(graph, module)) of[node] = graph.modules[module].path;
  const names = groups.map((module) => graph.modules[module].path);
  const naming: Naming = (at, node) => (at === index ? of[node] || "no module" : "");
  return categories("module", "module", names, names.length > 0 ? "no module, or another" : "no module", naming);
}

/** Steps of equal factors from the smallest to the largest of the sizes: how many, and where each ends. */
function stepsOf(sizes: readonly number[]): { steps: number; upTo(step: number): number; stepOf(size: number): number } {
  const [least, most] = sizes.reduce(([low, high], size) => [Math.min(low, size), Math.max(high, size)], [Infinity, 0]);
  const steps = sizes.length === 0 ? 0 : least === most ? 1 : STEPS;
  const factor = steps > 1 ? Math.log(most / least) / steps : 1;
  return {
    steps,
    upTo: (step) => (step === steps - 1 ? most : least * Math.exp(factor * (step + 1))),
    stepOf: (size) => Math.max(0, Math.min(steps - 1, Math.ceil(Math.log(Math.max(size, least) / least) / factor) - 1)),
  };
}

function stepEntries(steps: number, label: (step: number) => string, rest: string): readonly Entry[] {
  return [...Array.from({ length: steps }, (_, step) => ({ label: `up to ${label(step)}`, look: `dl-s${step}` })), { label: rest, look: OTHER }];
}

function byMemory(index: GraphIndex): Colouring {
  const { steps, upTo, stepOf } = stepsOf(Array.from({ length: index.size }, (_, node) => index.bytes(node) ?? 0).filter((size) => size > 0));
  return {
    mode: "memory", title: "size of the value", hidden: NONE,
    entries: stepEntries(steps, (step) => bytesText(Math.round(upTo(step))), "not known"),
    entryOf: (at, node) => {
      const size = at.bytes(node);
      if (size === null) return at.op(node) === "output" || at.value(node) === "" ? -1 : steps;
      return stepOf(size);
    },
    detailOf: (at, node) => {
      const size = at.bytes(node);
      return size === null ? "" : [bytesText(size), at.value(node)].join("  ");
    },
    weightOf: (at, node) => at.bytes(node) ?? 0,
  };
}

/** Measured: of the kernel that computes a node, or of eager's operators where it was captured. */
function byTime(index: GraphIndex, timed: Timed): Colouring {
  const times = new Map(timed.filter(([graph]) => graph === index.graph.id).map(([, node, time, text]) => [node, [time, text] as const]));
  const { steps, upTo, stepOf } = stepsOf([...times.values()].map(([time]) => time).filter((time) => time > 0));
  const ofKernels = [...times.values()].some(([, text]) => text.startsWith("kernel"));
  return {
    mode: "time", title: ofKernels ? "time of the kernel that computes it, all of its nodes" : "time of eager's operators", hidden: NONE,
    entries: stepEntries(steps, (step) => seconds(upTo(step)), "not timed"),
    entryOf: (at, node) => {
      const found = times.get(node);
      return at.graph.id === index.graph.id && found ? stepOf(found[0]) : at.op(node).startsWith("call_") ? steps : -1;
    },
    detailOf: (at, node) => (at.graph.id === index.graph.id ? (times.get(node)?.[1] ?? "") : ""),
    weightOf: (_, node) => times.get(node)?.[0] ?? 0,
  };
}

/** Neighbours mostly differ where kernels take the hues in turn; their numbers stand in the boxes. */
function byKernel(kernels: readonly KernelView[]): Colouring {
  const of = new Map<string, number>();
  for (const kernel of kernels) for (const node of kernel.nodes) of.set(`${kernel.graph}:${node}`, kernel.id);
  const kernelOf = (index: GraphIndex, node: number): number | undefined => of.get(`${index.graph.id}:${node}`);
  return {
    mode: "kernel", title: "kernel: its number stands in the box, hues repeat", hidden: NONE,
    entries: [...Array.from({ length: HUES }, (_, i) => ({ label: "", look: hue(i) })), { label: "in no kernel", look: OTHER }],
    entryOf: (index, node) => {
      const kernel = kernelOf(index, node);
      return kernel !== undefined ? kernel % HUES : index.op(node).startsWith("call_") ? HUES : -1;
    },
    detailOf: (index, node) => {
      const kernel = kernelOf(index, node);
      return kernel === undefined ? "" : `kernel ${kernel}  ${index.value(node)}`;
    },
    weightOf: count,
  };
}

/** Modes that say something of this graph: kernels are known of the graphs that they implement. */
export function modesOf(graph: GraphView, kernels: readonly KernelView[], timed: Timed): readonly ColourMode[] {
  const own = kernels.some((kernel) => kernel.graph === graph.id && kernel.nodes.length > 0);
  const isTimed = timed.some(([id]) => id === graph.id);
  return COLOUR_MODES.filter((mode) => (mode !== "kernel" || own) && (mode !== "time" || isTimed) && (mode !== "module" || graph.modules.length > 1));
}

export function colouring(mode: ColourMode, index: GraphIndex, kernels: readonly KernelView[], timed: Timed): Colouring {
  switch (mode) {
    case "kind": return byKind(index);
    case "dtype": return byDtype(index);
    case "module": return byModule(index);
    case "memory": return byMemory(index);
    case "kernel": return byKernel(kernels);
    case "time": return byTime(index, timed);
  }
}

/** The shares of a module's bar: entries and weights, in the order of the legend. */
export function shares(colours: Colouring, index: GraphIndex, nodes: readonly number[]): (readonly [entry: number, share: number])[] {
  const weights = new Array<number>(colours.entries.length).fill(0);
  for (const node of nodes) {
    const entry = colours.entryOf(index, node);
    if (entry >= 0) weights[entry] += colours.weightOf(index, node);
  }
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.flatMap((weight, entry) => (weight > 0 ? [[entry, weight / whole] as const] : []));
}

