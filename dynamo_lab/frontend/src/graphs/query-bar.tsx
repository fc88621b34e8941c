// Beside the search of nodes: how many hits, the next one, hits in other stages, and what to try.
import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { useModel, useStore } from "../core/context";
import { graphEntity } from "../core/entities";
import { FIELDS } from "../core/tables.generated";
import type { GraphView } from "../core/types.generated";
import { grouped, plural } from "../core/words";
import { afterDrawing } from "../ui/after-drawing";
import { Empty, Prose } from "../ui/bits";
import { type GraphIndex, indicesOf } from "./graph-index";
import { elsewhere, type Hits, rootOf } from "./groups";
import { parse, type Term, widened } from "./query";

interface StepperProps {
  readonly label: string;
  readonly what: string;
  readonly isOff?: boolean;
  step(by: 1 | -1): void;
}

/** Steps through rows: the hits of a search, or the kin of what is pinned. */
export function Stepper({ label, what, isOff, step }: StepperProps) {
  return (
    <span class="dl-kin" role="status">
      {label}
      <button type="button" class="dl-icon" disabled={isOff} aria-label={`Previous ${what}`} title="Previous (N)" onClick={() => step(-1)}>{"\u2191"}</button>
      <button type="button" class="dl-icon" disabled={isOff} aria-label={`Next ${what}`} title="Next (n)" onClick={() => step(1)}>{"\u2193"}</button>
    </span>
  );
}

/**
 * The other stages of the same captured graph that hold hits, and where it has none at all, the first of each other graph.
 * They are looked for once the hits here are on the screen.
 */
export function OtherHits({ index, terms }: { index: GraphIndex; terms: readonly Term[] }) {
  const store = useStore();
  const model = useModel();
  const isHere = useSignal(true);
  const hits = useSignal<readonly Hits[]>([]);
  const drawn = useMemo(() => afterDrawing(), []);
  useEffect(() => {
    const own = rootOf(index.graph, model.graphs);
    const others = model.view.graphs.filter((graph) => rootOf(graph, model.graphs).id !== own.id);
    const count = (graph: GraphView): number => indicesOf(model)(graph.id)?.find(terms).length ?? 0;
    drawn.soon(() => {
      isHere.value = index.find(terms).length > 0;
      hits.value = elsewhere(own.number, isHere.value, others, count);
    });
    return drawn.never;
  }, [model, index, terms]);
  if (hits.value.length === 0) return null;
  return (
    <p class="dl-explain dl-note-line">
      {isHere.value ? "also" : "found"} in {hits.value.map(({ graph, name, count }) => (
        <button key={graph.id} type="button" class="dl-go" onClick={() => store.go(graphEntity(graph.id))}>{name} {grouped(count)}</button>
      ))}
    </p>
  );
}

export function NoHits({ index, query }: { index: GraphIndex; query: Signal<string> }) {
  const wider = widened(query.value);
  const terms = wider ? parse(wider) : "";
  const count = typeof terms === "string" ? 0 : index.find(terms).length;
  return (
    <Empty title="No node of this graph matches">
      {count > 0 && <button type="button" class="dl-link" onClick={() => (query.value = wider)}>{wider} finds {plural(count, "node")}</button>}
      {count === 0 && <Prose text={`Each condition must hold: ${Object.values(FIELDS).join(", ")}. A minus in front excludes; other words are looked for in names, operators, values, arguments and modules.`} />}
    </Empty>
  );
}
