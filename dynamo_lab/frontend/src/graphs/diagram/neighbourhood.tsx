// A node with what it is made of and what uses it, so many steps each way; the way back stays.
import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useModel, useStore } from "../../core/context";
import { nodeEntity, parseEntity } from "../../core/entities";
import { cut } from "../../core/words";
import type { GraphIndex } from "../graph-index";
import { Modes } from "../modes";
import { Drawing } from "./drawing";
import { MAX_BOXES, neighbourhood, nodeId, Scenes } from "./scenes";

const STEPS = [1, 2, 3, 4, 5] as const;
const CRUMBS = 4;

function Steps({ label, value }: { label: string; value: Signal<number> }) {
  return (
    <label class="dl-check">
      {label}
      <select class="dl-select" aria-label={`Steps ${label}`} value={value.value} onChange={(event) => (value.value = Number(event.currentTarget.value))}>
        {STEPS.map((steps) => <option key={steps} value={steps}>{steps}</option>)}
      </select>
    </label>
  );
}

function Trail({ index, trail, go }: { index: GraphIndex; trail: readonly number[]; go(to: number): void }) {
  const first = Math.max(0, trail.length - CRUMBS);
  const name = (at: number): string => cut(index.graph.name[trail[at]], 24);
  return (
    <nav class="dl-trail" aria-label="Nodes visited">
      <button type="button" class="dl-button" disabled={trail.length < 2} title="Back (Backspace)" onClick={() => go(trail.length - 2)}>{"\u2190"} Back</button>
      {trail.slice(first).map((_, i) => (first + i === trail.length - 1
        ? <code key={first + i} aria-current="true">{name(first + i)}</code>
        : <button key={first + i} type="button" class="dl-go" onClick={() => go(first + i)}>{name(first + i)} {"\u203a"}</button>))}
    </nav>
  );
}

interface NeighbourhoodProps {
  readonly index: GraphIndex;
  readonly start: number;
  /** Why the whole graph is not shown. */
  readonly why: string;
  readonly leave?: () => void;
}

export function Neighbourhood({ index, start, why, leave }: NeighbourhoodProps) {
  const store = useStore();
  const { graphs } = useModel();
  const { graph } = index;
  const trail = useSignal<readonly number[]>([start]);
  const [up, down] = [useSignal(2), useSignal(2)];
  const pinned = parseEntity(store.pin.value);
  const target = pinned?.kind === "node" && pinned.a === graph.id ? pinned.b : -1;
  useEffect(() => {
    if (target >= 0 && target !== trail.peek().at(-1)) trail.value = [...trail.peek(), target];
  }, [target]);
  const go = (to: number): void => {
    if (to < 0) return;
    trail.value = trail.value.slice(0, to + 1);
    store.go(nodeEntity(graph.id, trail.value[to]));
  };
  const centre = trail.value.at(-1) ?? start;
  const nodes = neighbourhood(graph, index.users, centre, { up: up.value, down: down.value });
  const scene = new Scenes(graph, graphs, true).nodes(nodes);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Backspace" || trail.value.length < 2) return;
    go(trail.value.length - 2);
    event.preventDefault();
  };
  return (
    <div class="dl-diagram" onKeyDown={onKeyDown}>
      <div class="dl-toolbar">
        <Trail index={index} trail={trail.value} go={go} />
        <span class="dl-check">steps <Steps label="up" value={up} /> <Steps label="down" value={down} /></span>
        {leave && <button type="button" class="dl-button" onClick={leave}>Whole graph</button>}
        <span class="dl-space" />
        <Modes />
      </div>
      {(why || nodes.length >= MAX_BOXES) && (
        <p class="dl-explain dl-note-line" role="status">
          {why}{why && " Here is the neighbourhood of a node; click a box to move on."}
          {nodes.length >= MAX_BOXES && ` Cut at the ${MAX_BOXES} nearest nodes: choose fewer steps.`}
        </p>
      )}
      <Drawing index={index} scene={scene} centre={nodeId(graph.id, centre)} />
    </div>
  );
}
