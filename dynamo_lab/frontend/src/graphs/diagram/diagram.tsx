// A graph as boxes: modules and bodies open and close, or the neighbourhood of a node.
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { useModel, useStore } from "../../core/context";
import { nodeEntity, parseEntity } from "../../core/entities";
import { cut } from "../../core/words";
import { Empty } from "../../ui/bits";
import type { GraphIndex } from "../graph-index";
import { Modes } from "../modes";
import { graphsState } from "../state";
import { Drawing } from "./drawing";
import { Neighbourhood } from "./neighbourhood";
import { type BoxId, countInputs, FEW_INPUTS, MAX_BOXES, Scenes } from "./scenes";
import { grouped } from "../../core/words";

function Modules({ index }: { index: GraphIndex }) {
  const store = useStore();
  const { graphs } = useModel();
  const { graph } = index;
  const inputs = countInputs(graph);
  const withInputs = useSignal(inputs <= FEW_INPUTS);
  const scenes = useMemo(() => new Scenes(graph, graphs, withInputs.value), [graph, graphs, withInputs.value]);
  const open = useSignal<ReadonlySet<BoxId>>(useMemo(() => scenes.initiallyOpen(), []));
  const refused = useSignal("");
  const anchor = useSignal<BoxId>("");
  const scene = useMemo(() => scenes.modules(open.value), [scenes, open.value]);
  const pinned = parseEntity(store.pin.value);

  const openOnly = (next: ReadonlySet<BoxId>, what: string): void => {
    const count = scenes.count(next);
    refused.value = "";
    if (count > MAX_BOXES && next.size > open.value.size) {
      refused.value = `Opening ${what} would make ${count} boxes; at most ${MAX_BOXES} stay readable. Close others first, or read it in the listing.`;
    } else open.value = next;
  };
  const toggle = (ids: readonly BoxId[]): void => {
    const next = new Set(open.value);
    for (const id of ids) if (!next.delete(id)) next.add(id);
    anchor.value = ids[0];
    openOnly(next, "it");
  };
  const openLevel = (): void => {
    anchor.value = "";
    const closed = scene.boxes.flatMap((box) => (box.module >= 0 && !box.blocks?.isRest ? [box.id] : []));
    openOnly(new Set([...open.value, ...closed]), "all modules");
  };
  const toggleInputs = (): void => {
    const count = new Scenes(graph, graphs, !withInputs.value).count(open.value);
    refused.value = "";
    if (count > MAX_BOXES) refused.value = `With inputs there would be ${count} boxes; at most ${MAX_BOXES} stay readable. Close some modules first.`;
    else withInputs.value = !withInputs.value;
  };
  const closeAll = (): void => {
    anchor.value = "";
    open.value = new Set();
    refused.value = "";
  };
  return (
    <div class="dl-diagram">
      <div class="dl-toolbar">
        <span class="dl-dim">{scene.boxes.length === 1 ? "1 box" : `${scene.boxes.length} boxes`}</span>
        {(graph.modules.length > 1 || graph.repeats.length > 0) && (
          <>
            <button type="button" class="dl-button" onClick={openLevel} title="Open every closed module">Open level</button>
            <button type="button" class="dl-button" onClick={closeAll}>Close all</button>
          </>
        )}
        {pinned?.kind === "node" && pinned.a === graph.id && (
          <button type="button" class="dl-button" onClick={() => (graphsState(store).around.value = nodeEntity(graph.id, pinned.b))} title="What it is made of and what uses it">
            Around {cut(graph.name[pinned.b], 18)}
          </button>
        )}
        {inputs > 0 && (
          <label class="dl-check"><input type="checkbox" checked={withInputs.value} onChange={toggleInputs} /> inputs and parameters ({inputs})</label>
        )}
        <span class="dl-space" />
        <Modes />
      </div>
      {refused.value && <p class="dl-refused" role="alert">{refused.value}</p>}
      <Drawing index={index} scene={scene} anchor={anchor.value} onToggle={toggle} />
    </div>
  );
}

export function Diagram({ index }: { index: GraphIndex }) {
  const store = useStore();
  const { graphs, kin } = useModel();
  const { graph } = index;
  if (index.size === 0) return <Empty title="An empty graph">It has no nodes.</Empty>;
  const around = parseEntity(graphsState(store).around.value);
  if (around?.kind === "node" && around.a === graph.id) {
    return <Neighbourhood index={index} start={around.b} why="" leave={() => (graphsState(store).around.value = "")} />;
  }
  const least = new Scenes(graph, graphs, countInputs(graph) <= FEW_INPUTS).count(new Set());
  if (least <= MAX_BOXES) return <Modules index={index} />;
  const why = graph.modules.length <= 1
    ? `This graph has ${grouped(index.size)} nodes and no modules to fold them into.`
    : `This graph has ${grouped(least)} boxes with every module closed, more than can be read.`;
  const held = store.held.value;
  const linked = held ? kin.nodesIn(held, graph.id).at(0) : undefined;
  const firstOperator = graph.name.findIndex((_, node) => index.op(node).startsWith("call_"));
  return <Neighbourhood index={index} start={linked ?? Math.max(0, firstOperator)} why={why} />;
}
