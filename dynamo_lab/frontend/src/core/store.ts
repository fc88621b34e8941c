// The state of one mounted UI. It outlives the view: while a compile runs, views replace each
// other and the reader's tab, selection and scroll stay.
import { batch, computed, effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { carry, carryGraph, carrySource } from "./carry";
import type { ColourMode } from "../graphs/diagram/colours";
import { breakEntity, parseEntity } from "./entities";
import { type ForwardLines, forwardLines } from "../graphs/gradients";
import { Playback } from "../steps/playback";
import { GraphIndex, homePlaces, type Place, Sources } from "../graphs/graph-index";
import { buildKin, type KinIndex, type Mask, operatorNodes } from "./kin";
import { foundItems, itemEntity, type LoweringMode, nextStep, shownStep } from "../lowering/items";
import { type DiffMode, nextRewrite, shownPass } from "../passes/items";
import type { DataSource } from "./source";
import type { GraphView, Stop, View } from "./types.generated";

export const TABS = ["breaks", "steps", "graphs", "autograd", "decompositions", "passes", "lowering", "fusion", "kernels", "bench", "package", "guards", "frames", "timeline", "artifacts"] as const;
export type Tab = (typeof TABS)[number];
export const TAB_NAMES: Readonly<Record<Tab, string>> = {
  breaks: "Breaks", steps: "Steps", graphs: "Graphs", autograd: "Autograd", decompositions: "Decompositions", passes: "Passes", lowering: "Lowering", fusion: "Fusion", kernels: "Kernels", bench: "Bench", package: "Package",
  guards: "Guards", frames: "Frames", timeline: "Timeline", artifacts: "Artifacts",
};

export type ThemeChoice = "auto" | "light" | "dark";

/** A view with what is computed from it once. */
export interface Model {
  readonly view: View;
  readonly kin: KinIndex;
  readonly sources: Sources;
  readonly places: readonly (Place | null)[];
  readonly graphs: ReadonlyMap<number, GraphView>;
  /** The steps of the analysis, null where none were recorded. */
  readonly playback: Playback | null;
  graphIndex(id: number): GraphIndex | null;
  /** The colour class of a region, which is the id of a dynamo graph; -1 is for none. */
  colour(region: number): string;
  /** The colour class of the region that a graph descends from. */
  colourOf(graph: number): string;
  graphTitle(graph: number): string;
  /** The operators of the Decompositions tab that a node came from. */
  operatorsOf(graph: number, node: number): readonly number[];
  /** The measured time of a kernel, empty where it was not timed. */
  timeOf(kernel: number): string;
  /** What people call a break: they count from 1. */
  breakNumber(id: number): number;
  /** The hue of a line that made nodes, the same in each pane; -1 for other lines. */
  hue(place: Place | null): number;
}

/** Degrees between the hues of neighbouring lines: the golden angle keeps them apart. */
const HUE_STEP = 137.5;

/** Lines that are the home of a node, in the order of the text, each with a hue. */
function hues(view: View, places: readonly (Place | null)[]): ReadonlyMap<string, number> {
  const used = new Set(view.graphs.flatMap((graph) => graph.stack));
  const homes = new Set(places.filter((_, stack) => used.has(stack)).map((place) => place?.join(":")));
  const found = new Map<string, number>();
  for (const source of view.sources) {
    for (const [number] of source.lines) {
      const key = `${source.id}:${number}`;
      if (homes.has(key)) found.set(key, Math.round(210 + found.size * HUE_STEP) % 360);
    }
  }
  return found;
}

function nodeOperators(view: View): ReadonlyMap<string, number[]> {
  const found = new Map<string, number[]>();
  view.decompositions.operators.forEach((_, i) => {
    for (const [graph, node] of operatorNodes(view, i)) {
      const key = `${graph}:${node}`;
      found.set(key, [...(found.get(key) ?? []), i]);
    }
  });
  return found;
}

/** Hues in the palette; regions beyond them share. */
const PALETTE = 8;

export function buildModel(view: View): Model {
  const sources = new Sources(view);
  const places = homePlaces(view);
  const graphs = new Map(view.graphs.map((graph) => [graph.id, graph]));
  const indices = new Map<number, GraphIndex>();
  const dynamo = view.graphs.filter((g) => g.stage === "dynamo" && g.parent === null);
  const ranks = new Map(dynamo.map((g, rank) => [g.id, rank]));
  const byNumber = new Map(dynamo.map((g) => [g.number, g.id]));
  const gradientOf: ForwardLines = forwardLines(view, places);
  const breakNumbers = new Map(view.breaks.map((item, i) => [item.id, i + 1]));
  const graphIndex = (id: number): GraphIndex | null => {
    const graph = graphs.get(id);
    if (!graph) return null;
    let index = indices.get(id);
    if (!index) indices.set(id, (index = new GraphIndex(graph, places, sources, view.links.stacks, gradientOf)));
    return index;
  };
  const colour = (region: number): string => {
    if (region < 0) return "dl-rnone";
    return `dl-r${(ranks.get(region) ?? region) % PALETTE}`;
  };
  const colourOf = (id: number): string => colour(byNumber.get(graphs.get(id)?.number ?? -1) ?? -1);
  const graphTitle = (id: number): string => graphs.get(id)?.title || `graph ${id}`;
  const lineHues = hues(view, places);
  const hue = (place: Place | null): number => (place ? (lineHues.get(place.join(":")) ?? -1) : -1);
  const breakNumber = (id: number): number => breakNumbers.get(id) ?? id + 1;
  const times = new Map(view.bench?.kernels.kernels);
  const timeOf = (kernel: number): string => times.get(kernel) ?? "";
  let ofNode: ReadonlyMap<string, number[]> | null = null;
  const operatorsOf = (graph: number, node: number): readonly number[] => (ofNode ??= nodeOperators(view)).get(`${graph}:${node}`) ?? [];
  const playback = view.steps && view.steps.call !== "" ? new Playback(view.steps) : null;
  return { view, kin: buildKin(view), playback, hue, sources, places, graphs, graphIndex, colour, colourOf, graphTitle, breakNumber, operatorsOf, timeOf };
}

const models = new WeakMap<View, Model>();

/** The model of a view, built once: readers go back and forth between recordings. */
export function modelOf(view: View): Model {
  const found = models.get(view) ?? buildModel(view);
  models.set(view, found);
  return found;
}

/** What the Guards tab shows. */
export const GUARD_MODES = ["recompiles", "guards", "shapes"] as const;
export type GuardMode = (typeof GUARD_MODES)[number];

/** What the Bench tab shows. */
export const BENCH_MODES = ["ways", "kernels", "roofline", "code", "machine"] as const;
export type BenchMode = (typeof BENCH_MODES)[number];

/** What the Fusion tab shows. */
export const FUSION_MODES = ["groups", "pairs", "why", "memory"] as const;
export type FusionMode = (typeof FUSION_MODES)[number];

export interface Reveal {
  readonly entity: string;
  readonly tick: number; // so that revealing the same entity again scrolls again
}

export interface KernelChoice {
  readonly kind: "kernel" | "wrapper";
  readonly id: number;
  /** The line of the wrapper to show. */
  readonly line?: number | null;
  /** The kernel whose calls the wrapper is to show. */
  readonly of?: number;
}

/** What a trace log does not tell. */
const UNLOGGED: ReadonlySet<Tab> = new Set<Tab>(["decompositions", "passes", "lowering"]);

export interface Store {
  readonly source: DataSource;
  readonly model: ReadonlySignal<Model | null>;
  readonly tab: ReadonlySignal<Tab>;
  /** The tabs there are: Steps only where some were recorded, Autograd and Package where there is something of theirs. */
  readonly tabs: ReadonlySignal<readonly Tab[]>;
  /** Which step is shown. */
  readonly step: ReadonlySignal<number>;
  readonly hover: Signal<string>;
  readonly pin: ReadonlySignal<string>;
  /** Kin of what is hovered, and of what is pinned; null for none. */
  readonly lit: ReadonlySignal<Mask | null>;
  readonly held: ReadonlySignal<Mask | null>;
  /** What the selection panel tells of: the pinned entity, else the hovered one. */
  readonly focus: ReadonlySignal<string>;
  readonly reveal: ReadonlySignal<Reveal>;
  readonly graph: Signal<number | null>;
  readonly kernel: Signal<KernelChoice | null>;
  /** Whether kernels stand beside those of another recording, and which recording that is. */
  readonly beside: Signal<boolean>;
  readonly other: Signal<string>;
  /** The kernels that are compared, by their place in the pair; null for the first that differ. */
  readonly work: Signal<number | null>;
  /** Whether the panel of switches is open. */
  readonly panel: Signal<boolean>;
  /** The pass that is shown, null for the first that did something. */
  readonly pass: Signal<number | null>;
  /** Whether passes that did nothing are left out. */
  readonly rewritesOnly: Signal<boolean>;
  readonly diffMode: Signal<DiffMode>;
  /** The operator whose lowering is shown, as an entity; empty for the first. */
  readonly lowered: Signal<string>;
  readonly buffer: Signal<number>;
  readonly loweringMode: Signal<LoweringMode>;
  /** What operators are searched for in the lowering. */
  readonly loweringQuery: Signal<string>;
  readonly file: Signal<number | null>;
  /** The operator whose decompositions are shown, and the set of operators that they go down to. */
  readonly operator: Signal<number>;
  readonly set: Signal<number>;
  readonly graphMode: Signal<"listing" | "diagram">;
  /** What nodes are searched for, in every stage. */
  readonly query: Signal<string>;
  /** What the colours of a diagram mean. */
  readonly colours: Signal<ColourMode>;
  /** The node whose neighbourhood the diagram shows; empty for the whole graph. */
  readonly around: Signal<string>;
  /** The reader's choice; null shows what there is most to say of. */
  readonly guardMode: Signal<GuardMode | null>;
  /** The partition that Autograd shows; null for the first. */
  readonly chosenPartition: Signal<number | null>;
  /** The schedule that Fusion shows, and how. */
  readonly schedule: Signal<number>;
  readonly fusionMode: Signal<FusionMode>;
  readonly benchMode: Signal<BenchMode>;
  /** The caches that kernels were timed with. */
  readonly benchCache: Signal<"cold" | "warm">;
  readonly theme: Signal<ThemeChoice>;
  readonly help: Signal<boolean>;
  /** Whether it is told at length how to read the view that is shown. */
  readonly reading: Signal<boolean>;
  setTab(tab: Tab): void;
  togglePin(entity: string): void;
  unpin(): void;
  /** Pins an entity and brings it into sight, in the tab where it lives. */
  go(entity: string): void;
  stepBreak(step: 1 | -1): void;
  /** Shows a step. */
  play(step: number): void;
  /** Moves on to the next or back to the previous of something. */
  move(stop: Stop, by: 1 | -1): void;
  /** Shows the next or the previous pass that did something. */
  stepPass(by: 1 | -1): void;
  /** Shows the lowering of the next or the previous operator. */
  stepLowering(by: 1 | -1): void;
  /** Shows the lowering of a node. */
  showLowering(node: string): void;
  close(): void;
}

export function createStore(source: DataSource): Store {
  const model = computed(() => {
    const view = source.recordings.view.value;
    return view ? modelOf(view) : null;
  });
  const chosenTab = signal<Tab | null>(null);
  const hover = signal("");
  const pin = signal("");
  const reveal = signal<Reveal>({ entity: "", tick: 0 });
  const graph = signal<number | null>(null);
  const kernel = signal<KernelChoice | null>(null);
  const file = signal<number | null>(null);
  const pass = signal<number | null>(null);
  const operator = signal(0);
  const guardMode = signal<GuardMode | null>(null);
  const lowered = signal("");
  const buffer = signal(0);
  const loweringQuery = signal("");
  const loweringMode = signal<LoweringMode>("operators");
  const schedule = signal(0);
  const chosenPartition = signal<number | null>(null);

  const kinOf = (entity: string): Mask | null => {
    const index = model.value?.kin;
    const vertices = entity && index ? index.resolve(entity) : [];
    return index && vertices.length > 0 ? index.kin(vertices) : null;
  };
  const tab = computed<Tab>(() => {
    if (chosenTab.value) return chosenTab.value;
    const view = model.value?.view;
    if (view?.bench) return "bench"; // it was made to measure
    if (!view || view.breaks.length > 0) return "breaks";
    if (view.packages.length > 0) return "package";
    if (view.guards.recompiles.length > 0) return "guards";
    return view.graphs.length > 0 || view.frames.length === 0 ? "graphs" : "frames";
  });

  const show = (entity: string): void => {
    const parsed = parseEntity(entity);
    const view = model.value?.view;
    if (!parsed || !view) return;
    if (parsed.kind === "line") file.value = parsed.a;
    if (parsed.kind === "node" || parsed.kind === "graph" || parsed.kind === "module") {
      graph.value = parsed.a;
      chosenTab.value = "graphs";
    }
    if (parsed.kind === "operator") {
      operator.value = parsed.a;
      chosenTab.value = "decompositions";
    }
    if (parsed.kind === "op") {
      schedule.value = Math.max(0, view.fusions.schedules.findIndex((one) => one.operations.some((item) => item.id === parsed.a)));
      chosenTab.value = "fusion";
    }
    if (parsed.kind === "kernel" || parsed.kind === "statement") {
      kernel.value = { kind: "kernel", id: parsed.a };
      chosenTab.value = "kernels";
    }
    if (parsed.kind === "buffer") {
      buffer.value = parsed.a;
      loweringMode.value = "buffers";
      chosenTab.value = "lowering";
    }
    if (parsed.kind === "break") chosenTab.value = "breaks";
    if (parsed.kind === "frame") chosenTab.value = "frames";
    if (parsed.kind === "guard" || parsed.kind === "symbol") {
      guardMode.value = parsed.kind === "guard" ? "guards" : "shapes";
      chosenTab.value = "guards";
    }
  };
  const look = (entity: string): void => {
    reveal.value = { entity, tick: reveal.peek().tick + 1 };
  };
  const go = (entity: string): void =>
    batch(() => {
      show(entity);
      pin.value = parseEntity(entity)?.kind === "graph" ? "" : entity;
      hover.value = "";
      look(entity);
    });
  const stepBreak = (step: 1 | -1): void => {
    const breaks = model.value?.view.breaks ?? [];
    if (breaks.length === 0) return;
    const at = breaks.findIndex((item) => breakEntity(item.id) === pin.peek());
    const next = at < 0 ? (step === 1 ? 0 : breaks.length - 1) : (at + step + breaks.length) % breaks.length;
    go(breakEntity(breaks[next].id));
  };
  const at = signal(0);
  const playback = computed(() => model.value?.playback ?? null);
  const hasPackage = computed(() => (model.value?.view.packages.length ?? 0) > 0);
  const hasArtifacts = computed(() => (model.value?.view.artifacts.length ?? 0) > 0);
  const differentiates = computed(() => (model.value?.view.partitions ?? []).some((part) => part.backward !== null || part.handled.length > 0));
  const schedules = computed(() => (model.value?.view.fusions.schedules ?? []).some((one) => one.operations.length > 0));
  // Also where it can be measured: then the tab is the way to it.
  const measured = computed(() => !!model.value?.view.bench || (source.runs?.ready.value ?? false));
  const step = computed(() => Math.min(at.value, (playback.value?.count ?? 1) - 1));
  const play = (to: number): void => {
    if (!playback.value || to < 0) return;
    at.value = to;
    chosenTab.value = "steps";
  };
  const move = (stop: Stop, by: 1 | -1): void => {
    if (playback.value) at.value = playback.value.move(step.peek(), stop, by);
  };
  const stepPass = (by: 1 | -1): void => {
    const passes = model.value?.view.passes.passes ?? [];
    pass.value = nextRewrite(passes, shownPass(passes, pass.peek()), by);
  };
  const stepLowering = (by: 1 | -1): void => {
    const found = model.value?.view.lowering;
    const items = found ? foundItems(found, loweringQuery.peek()) : [];
    loweringMode.value = "operators";
    if (items.length > 0) lowered.value = itemEntity(items[nextStep(items, shownStep(items, lowered.peek()), by)]);
  };
  const showLowering = (node: string): void =>
    batch(() => {
      lowered.value = node;
      loweringQuery.value = "";
      loweringMode.value = "operators";
      chosenTab.value = "lowering";
    });
  // Another recording numbers its nodes, kernels and sources anew: what is chosen goes along by name.
  const follow = (from: Model, to: Model): void => {
    pin.value = carry(pin.peek(), from, to);
    hover.value = "";
    graph.value = carryGraph(graph.peek(), from, to);
    file.value = carrySource(file.peek(), from, to);
    kernel.value = pass.value = chosenPartition.value = null;
    operator.value = buffer.value = schedule.value = 0;
    lowered.value = carry(lowered.peek(), from, to);
  };
  let last: { readonly label: string; readonly model: Model } | null = null;
  const stopFollowing = effect(() => {
    const now = model.value;
    const label = source.recordings.shown.value?.label ?? "";
    const before = last;
    last = now && { label, model: now };
    batch(() => {
      if (now && before && before.label !== label) follow(before.model, now);
      // A pinned entity that a newer view no longer has would light nothing and explain nothing.
      if (now && pin.value && now.kin.resolve(pin.value).length === 0) pin.value = "";
    });
  });

  return {
    source, model, tab, step, play, move,
    beside: signal(false), other: signal(""), work: signal<number | null>(null), panel: signal(false),
    tabs: computed(() => TABS.filter((one) => (one !== "steps" || playback.value !== null) && (one !== "autograd" || differentiates.value) && (one !== "fusion" || schedules.value) && (one !== "package" || hasPackage.value) && (hasArtifacts.value ? !UNLOGGED.has(one) : one !== "artifacts") && (one !== "bench" || measured.value))),
    hover, pin, reveal, graph, kernel, pass, file, guardMode, stepPass, lowered, buffer, loweringMode, loweringQuery, stepLowering, showLowering, operator, set: signal(1),
    rewritesOnly: signal(true), diffMode: signal<DiffMode>("diff"),
    lit: computed(() => kinOf(hover.value)),
    held: computed(() => kinOf(pin.value)),
    focus: computed(() => pin.value || hover.value),
    graphMode: signal<"listing" | "diagram">("listing"),
    chosenPartition,
    schedule, fusionMode: signal<FusionMode>("groups"),
    benchMode: signal<BenchMode>("ways"), benchCache: signal<"cold" | "warm">("cold"),
    colours: signal<ColourMode>("kind"),
    around: signal(""),
    query: signal(""),
    theme: signal<ThemeChoice>("auto"),
    help: signal(false),
    reading: signal(false),
    setTab: (next) => void (chosenTab.value = next),
    togglePin: (entity) =>
      batch(() => {
        pin.value = pin.peek() === entity ? "" : entity;
        if (pin.value) look(entity);
      }),
    unpin: () => void (pin.value = ""),
    go, stepBreak, close: stopFollowing,
  };
}
