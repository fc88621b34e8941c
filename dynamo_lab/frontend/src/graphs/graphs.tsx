// Graphs: which one, and whether as a listing or as a diagram.
import { useModel, usePart, useStore } from "../core/context";
import { graphEntity } from "../core/entities";
import type { Model } from "../core/model";
import type { GraphView } from "../core/types.generated";
import { plural } from "../core/words";
import { Empty, Go, GoTab, WhyNone } from "../ui/bits";
import { Diagram } from "./diagram/diagram";
import { indicesOf } from "./graph-index";
import { type GraphGroup, groupGraphs, rootOf, stageName } from "./groups";
import { Listing } from "./listing";
import { graphsState } from "./state";

function groupName(group: GraphGroup, model: Model): string {
  const frame = model.view.frames.find((f) => f.id === group.graphs[0].frame);
  return [group.key, frame?.name].filter(Boolean).join(" \u00b7 ");
}

function Groups({ groups, shown }: { groups: readonly GraphGroup[]; shown: GraphGroup }) {
  const { graph: chosen } = usePart(graphsState);
  const model = useModel();
  if (groups.length < 2) return <span class="dl-dim dl-ellipsis">{shown.graphs[0].subtitle}</span>;
  const choose = (key: string): void => {
    const group = groups.find((g) => g.key === key);
    if (!group) return;
    const now = chosen.value === null ? undefined : model.graphs.get(chosen.value);
    const alike = group.graphs.find((g) => g.stage === now?.stage && g.is_backward === now.is_backward);
    chosen.value = (alike ?? group.graphs[0]).id;
  };
  return (
    <select class="dl-select" aria-label="Captured graph" value={shown.key} onChange={(event) => choose(event.currentTarget.value)}>
      {groups.map((group) => <option key={group.key} value={group.key}>{groupName(group, model)}</option>)}
    </select>
  );
}

/** How many operators a stage has, or how many of its nodes belong to what is pinned. */
function Size({ operators, kin }: { operators: number; kin: number }) {
  if (kin === 0) return <span class="dl-dim">{operators}</span>;
  return <span class="dl-kin-count" title={`${plural(kin, "node")} of what is pinned`}>{kin}</span>;
}

function Stages({ graphs, shown, label }: { graphs: readonly GraphView[]; shown: GraphView; label: string }) {
  const store = useStore();
  const { kin } = useModel();
  const held = store.held.value;
  if (graphs.length === 0) return null;
  return (
    <div class="dl-segments" role="group" aria-label={label}>
      {graphs.map((graph) => (
        <button
          key={graph.id} type="button" aria-pressed={graph.id === shown.id} title={`${graph.title}: ${graph.subtitle}; ${graph.arithmetic}`}
          onClick={() => (graphsState(store).graph.value = graph.id)}
        >
          {stageName(graph)} <Size operators={graph.operators} kin={held ? kin.countNodes(held, graph.id) : 0} />
        </button>
      ))}
    </div>
  );
}

function Body({ graph }: { graph: GraphView }) {
  const { graphTitle } = useModel();
  if (graph.parent === null) return null;
  return (
    <div class="dl-graph-title" data-entity={graphEntity(graph.id)}>
      <b>{graph.title}</b>
      <span class="dl-dim dl-ellipsis">{graph.subtitle}</span>
      <span class="dl-dim">the body of an operator in <Go to={graphEntity(graph.parent)}>{graphTitle(graph.parent)}</Go></span>
    </div>
  );
}

export function Graphs() {
  const { graph: chosen, mode } = usePart(graphsState);
  const model = useModel();
  const groups = groupGraphs(model.view.graphs);
  const graph = (chosen.value === null ? undefined : model.graphs.get(chosen.value)) ?? groups[0]?.graphs[0];
  if (!graph) return <Empty title="No graphs"><WhyNone>Dynamo captured no graph: each frame was skipped, or failed, or held no tensor operation. See <GoTab tab={model.view.breaks.length > 0 ? "breaks" : "frames"} /> for the reason.</WhyNone></Empty>;
  const root = rootOf(graph, model.graphs);
  const group = groups.find((g) => g.graphs.includes(root)) ?? groups[0];
  const index = indicesOf(model)(graph.id);
  return (
    <>
      <div class="dl-toolbar">
        <span class="dl-graph-name" data-entity={graphEntity(graph.id)} title={graph.subtitle}>
          <i class={`dl-swatch ${model.colourOf(graph.id)}`} /> {graph.title}
        </span>
        <Groups groups={groups} shown={group} />
        <Stages label="Stage" graphs={group.graphs.filter((g) => !g.is_backward)} shown={root} />
        <Stages label="Stage of the backward" graphs={group.graphs.filter((g) => g.is_backward)} shown={root} />
        <span class="dl-dim dl-ellipsis" title="Floating-point operations">{graph.arithmetic}</span>
      </div>
      <Body graph={graph} />
      {index && (mode.value === "listing"
        ? <Listing key={graph.id} index={index} />
        : <Diagram key={graph.id} index={index} />)}
    </>
  );
}
