// What a listing shows: the rows that a search leaves, and the def-use of the node at hand.
import { type Signal, useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { useModel, usePart, useStore } from "../core/context";
import { parseEntity } from "../core/entities";
import { kept, type Model } from "../core/model";
import { type GraphIndex, indicesOf } from "./graph-index";
import { parse, type Term } from "./query";
import { endOf } from "./folds";
import { EVERYTHING, hitTest, type NodeRow, type Opened, repeatsAround, rowsOf } from "./rows";
import { graphsState } from "./state";

export interface Rows {
  readonly terms: readonly Term[];
  /** What the search does not understand; empty where it does. */
  readonly complaint: string;
  /** Null where nothing is searched for. */
  readonly isHit: ((row: NodeRow) => boolean) | null;
  readonly onlyHits: Signal<boolean>;
  readonly all: readonly NodeRow[];
  readonly shown: readonly NodeRow[];
  /** The places of the hits among the shown rows. */
  readonly hits: readonly number[];
  isOpen(body: number): boolean;
  toggle(body: number): void;
  isUnfolded(index: GraphIndex, repeat: number): boolean;
  fold(index: GraphIndex, repeat: number): void;
  /** All rows, once each repeat that hides the node is unfolded. */
  unfoldedAt(index: GraphIndex, node: number): readonly NodeRow[];
}

/** The rows of a graph in which nothing opens: no search changes them. Null for others. */
const flatRows = kept((index: GraphIndex): readonly NodeRow[] | null => {
  const { repeats, subgraphs } = index.graph;
  return repeats.length === 0 && Object.keys(subgraphs).length === 0 ? rowsOf(index, () => null, EVERYTHING) : null;
});

/** Of fewer nodes, rows and index are made in less time than a frame takes. */
const LARGE = 2_000;

/** The indices and rows of large graphs, each a piece of work. */
export const rowsAhead = (model: Model): readonly (() => void)[] =>
  model.view.graphs.filter((graph) => graph.name.length > LARGE).map(({ id }) => () => {
    const index = indicesOf(model)(id);
    if (index) flatRows(index);
  });

const keyOf = (index: GraphIndex, repeat: number): string => `${index.graph.id}_${repeat}`;

function toggled<T>(set: ReadonlySet<T>, one: T): ReadonlySet<T> {
  const next = new Set(set);
  if (!next.delete(one)) next.add(one);
  return next;
}

/**
 * Memoised by values, not computed from signals: while a compile runs, a newer view brings another
 * index of the same graph.
 */
export function useRows(index: GraphIndex): Rows {
  const model = useModel();
  const query = usePart(graphsState).query.value;
  const open = useSignal<ReadonlySet<number>>(new Set());
  const unfolded = useSignal<ReadonlySet<string>>(new Set());
  const onlyHits = useSignal(true);
  const parsed = useMemo(() => parse(query), [query]);
  const [terms, complaint] = typeof parsed === "string" ? [[], parsed] : [parsed, ""];
  const isHit = useMemo(() => (terms.length > 0 ? hitTest(terms) : null), [parsed, model]);
  /** Opened by the reader, or because the search found something in it. */
  const isOpen = (body: number): boolean => {
    const inner = indicesOf(model)(body);
    return open.value.has(body) || (isHit !== null && inner !== null && rowsOf(inner, indicesOf(model), EVERYTHING).some(isHit));
  };
  const hidesHit = (of: GraphIndex, repeat: number): boolean => {
    const one = of.graph.repeats[repeat];
    for (let node = one.first + one.size; isHit && node < endOf(one); node++) if (isHit({ index: of, node })) return true;
    return false;
  };
  const opened = (keys: ReadonlySet<string>): Opened => ({
    body: isOpen, repeat: (of, repeat) => keys.has(keyOf(of, repeat)) || hidesHit(of, repeat),
  });
  const flat = flatRows(index);
  const all = useMemo(() => flat ?? rowsOf(index, indicesOf(model), opened(unfolded.value)), [index, flat ? null : isHit, open.value, unfolded.value]);
  const filter = onlyHits.value ? isHit : null;
  const shown = useMemo(() => (filter ? all.filter(filter) : all), [all, filter]);
  const hits = useMemo(() => placesOf(shown, isHit), [shown, isHit]);
  const unfoldedAt = (of: GraphIndex, node: number): readonly NodeRow[] => {
    const hiding = repeatsAround(of, node).filter((repeat) => node >= of.graph.repeats[repeat].first + of.graph.repeats[repeat].size);
    unfolded.value = new Set([...unfolded.value, ...hiding.map((repeat) => keyOf(of, repeat))]);
    return rowsOf(index, indicesOf(model), opened(unfolded.value));
  };
  return {
    terms, complaint, isHit, onlyHits, all, shown, hits, isOpen, unfoldedAt,
    toggle: (body) => void (open.value = toggled(open.value, body)),
    isUnfolded: (of, repeat) => opened(unfolded.value).repeat(of, repeat),
    fold: (of, repeat) => void (unfolded.value = toggled(unfolded.value, keyOf(of, repeat))),
  };
}

/** Where among the rows the hits are: thousands, so not a list for each of them. */
function placesOf(rows: readonly NodeRow[], isHit: Rows["isHit"]): readonly number[] {
  const found: number[] = [];
  if (isHit) for (let i = 0; i < rows.length; i++) if (isHit(rows[i])) found.push(i);
  return found;
}

export interface DefUse {
  /** The node that is hovered, or else pinned. */
  readonly centre: { readonly index: GraphIndex; readonly node: number } | null;
  readonly inputs: ReadonlySet<number>;
  readonly users: ReadonlySet<number>;
}

export function useDefUse(): DefUse {
  const model = useModel();
  const store = useStore();
  const at = parseEntity(store.hover.value || store.pin.value);
  const index = at?.kind === "node" ? indicesOf(model)(at.a) : null;
  if (!at || !index || at.b < 0 || at.b >= index.size) return { centre: null, inputs: new Set(), users: new Set() };
  return { centre: { index, node: at.b }, inputs: new Set(index.graph.inputs[at.b]), users: new Set(index.users[at.b]) };
}
