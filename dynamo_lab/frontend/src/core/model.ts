// A view with what every part asks of it, worked out once.
import { buildKin, type KinIndex } from "./kin";
import { homePlaces, Mentions, type Place, Sources } from "./places";
import type { GraphView, View } from "./types.generated";

export interface Model {
  readonly view: View;
  readonly kin: KinIndex;
  readonly sources: Sources;
  readonly mentions: Mentions;
  /** The line to show for each stack. */
  readonly places: readonly (Place | null)[];
  readonly graphs: ReadonlyMap<number, GraphView>;
  /** The colour class of a region, which is the id of a dynamo graph; -1 is for none. */
  colour(region: number): string;
  /** The colour class of the region that a graph descends from. */
  colourOf(graph: number): string;
  graphTitle(graph: number): string;
  /** What people call a break: they count from 1. */
  breakNumber(id: number): number;
  /** The hue of a line that made nodes, the same in each pane; -1 for other lines. */
  hue(place: Place | null): number;
}

/** Degrees between the hues of neighbouring lines: the golden angle keeps them apart. */
const HUE_STEP = 137.5;

/** For each source its lines that are the home of a node, in the order of the text, each with a hue. */
function hues(view: View, places: readonly (Place | null)[]): ReadonlyMap<number, ReadonlyMap<number, number>> {
  const isUsed = new Uint8Array(places.length);
  for (const graph of view.graphs) for (const stack of graph.stack) if (stack >= 0) isUsed[stack] = 1;
  const homes = new Map<number, Set<number>>(view.sources.map(({ id }) => [id, new Set()]));
  places.forEach((place, stack) => place && isUsed[stack] && homes.get(place[0])?.add(place[1]));
  let count = 0;
  return new Map(view.sources.map(({ id, lines }) => {
    const own = lines.filter(([number]) => homes.get(id)?.has(number));
    return [id, new Map(own.map(([number]) => [number, Math.round(210 + count++ * HUE_STEP) % 360]))];
  }));
}

/** Hues in the palette; regions beyond them share. */
const PALETTE = 8;

export function buildModel(view: View): Model {
  const places = homePlaces(view);
  const graphs = new Map(view.graphs.map((graph) => [graph.id, graph]));
  const dynamo = view.graphs.filter((g) => g.stage === "dynamo" && g.parent === null);
  const ranks = new Map(dynamo.map((g, rank) => [g.id, rank]));
  const byNumber = new Map(dynamo.map((g) => [g.number, g.id]));
  const breakNumbers = new Map(view.breaks.map((item, i) => [item.id, i + 1]));
  const lineHues = hues(view, places);
  const colour = (region: number): string => {
    if (region < 0) return "dl-rnone";
    return `dl-r${(ranks.get(region) ?? region) % PALETTE}`;
  };
  return {
    view, places, graphs, colour,
    kin: buildKin(view),
    sources: new Sources(view),
    mentions: new Mentions(view.sources, view.main_source, view.kernels.kernels),
    colourOf: (id) => colour(byNumber.get(graphs.get(id)?.number ?? -1) ?? -1),
    graphTitle: (id) => graphs.get(id)?.title || `graph ${id}`,
    breakNumber: (id) => breakNumbers.get(id) ?? id + 1,
    hue: (place) => (place ? (lineHues.get(place[0])?.get(place[1]) ?? -1) : -1),
  };
}

/** A function that works something out on first need and keeps it as long as what it is of. */
export function kept<Of extends object, Found>(make: (of: Of) => Found): (of: Of) => Found {
  const known = new WeakMap<Of, { readonly found: Found }>();
  return (of) => {
    const entry = known.get(of) ?? { found: make(of) };
    known.set(of, entry);
    return entry.found;
  };
}

/** The model of a view, built once: readers go back and forth between recordings. */
export const modelOf: (view: View) => Model = kept(buildModel);

/** What a part works out of a model, once a model. */
export const derived = <Found>(make: (model: Model) => Found): ((model: Model) => Found) => kept(make);
