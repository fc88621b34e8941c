// What a listing shows: the rows that a search leaves, and the def-use of the node at hand.
import { type Signal, useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { useModel, usePart, useStore } from "../core/context";
import { parseEntity } from "../core/entities";
import { type GraphIndex, indicesOf } from "./graph-index";
import { parse, type Term } from "./query";
import { hitTest, type NodeRow, rowsOf } from "./rows";
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
}

/**
 * Memoised by values, not computed from signals: while a compile runs, a newer view brings another
 * index of the same graph.
 */
export function useRows(index: GraphIndex): Rows {
  const model = useModel();
  const query = usePart(graphsState).query.value;
  const open = useSignal<ReadonlySet<number>>(new Set());
  const onlyHits = useSignal(true);
  const parsed = useMemo(() => parse(query), [query]);
  const [terms, complaint] = typeof parsed === "string" ? [[], parsed] : [parsed, ""];
  const isHit = useMemo(() => (terms.length > 0 ? hitTest(terms) : null), [parsed, model]);
  /** Opened by the reader, or because the search found something in it. */
  const isOpen = (body: number): boolean => {
    const inner = indicesOf(model)(body);
    return open.value.has(body) || (isHit !== null && inner !== null && rowsOf(inner, indicesOf(model), () => true).some(isHit));
  };
  const all = useMemo(() => rowsOf(index, indicesOf(model), isOpen), [index, isHit, open.value]);
  const filter = onlyHits.value ? isHit : null;
  const shown = useMemo(() => (filter ? all.filter(filter) : all), [all, filter]);
  const hits = useMemo(() => shown.flatMap((row, i) => (isHit?.(row) ? [i] : [])), [shown, isHit]);
  const toggle = (body: number): void => {
    const next = new Set(open.value);
    if (!next.delete(body)) next.add(body);
    open.value = next;
  };
  return { terms, complaint, isHit, onlyHits, all, shown, hits, isOpen, toggle };
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
