// The boxes, frames and edges of a laid-out scene as SVG. Texts are text nodes, never markup.
import { useModel, useStore } from "../../core/context";
import { graphEntity, moduleEntity, nodeEntity, parseEntity } from "../../core/entities";
import type { Mask } from "../../core/kin";
import { cut } from "../../core/words";
import type { Layout, Placed } from "../../layout/layout";
import type { GraphIndex } from "../graph-index";
import { type Colouring, shares } from "./colours";
import { bodyName, type Label, moduleLabel, repeatLabel } from "./labels";
import { bodyId, type Box, type BoxId, type Cluster, moduleId, nodeId, nodesOf, type Scene } from "./scenes";

const MOST_LIT = 200;
const LETTER = 6.2; // pixels of a letter of a frame's name

interface PictureProps {
  readonly scene: Scene;
  readonly layout: Layout;
  readonly colours: Colouring;
  indexOf(graph: number): GraphIndex;
  labelOf(box: Box): Label;
  /** Whether the search finds a node. */
  readonly isHit?: (row: { readonly index: GraphIndex; readonly node: number }) => boolean;
  /** Opens or closes modules and bodies. */
  readonly onToggle?: (ids: readonly BoxId[]) => void;
}

function isSet(mask: Mask | null, start: number, nodes: readonly number[]): boolean {
  return mask !== null && nodes.some((node) => mask[start + node] === 1);
}

/** What Enter and the space bar do on a box. */
function onKeys(act: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    act();
  };
}

function Frame({ placed, name, entity, onToggle }: { placed: Placed; name: string; entity: string; onToggle(): void }) {
  return (
    <g class="dl-frame-box" data-entity={entity}>
      <rect x={placed.x} y={placed.y} width={placed.width} height={placed.height} rx={6} />
      <text x={placed.x + 8} y={placed.y + 15}>{cut(name, Math.max(4, Math.floor((placed.width - 34) / LETTER)))}<title>{name}</title></text>
      <g class="dl-close-box" role="button" tabindex={0} aria-label={`Close ${name}`} data-own onClick={onToggle} onKeyDown={onKeys(onToggle)}>
        <rect x={placed.x + placed.width - 20} y={placed.y + 4} width={15} height={15} rx={3} />
        <path d={`M${placed.x + placed.width - 16},${placed.y + 11.5}h7`} />
      </g>
    </g>
  );
}

/** How much of a module is of which colour, as a bar along its foot. */
function Bar({ placed, colours, index, nodes }: { placed: Placed; colours: Colouring; index: GraphIndex; nodes: readonly number[] }) {
  const width = placed.width - 12;
  let at = placed.x + 6;
  return (
    <>
      {shares(colours, index, nodes).map(([entry, share]) => {
        const x = at;
        at += share * width;
        return <rect key={entry} class={`dl-box-bar dl-filled ${colours.entries[entry].look}`} x={x.toFixed(1)} y={placed.y + placed.height - 5} width={(share * width).toFixed(1)} height={3} />;
      })}
    </>
  );
}

/** Blocks are no entity: the nodes of the first stand for them. */
function blockEntity({ graph }: GraphIndex, repeat: number): string {
  const { first, size } = graph.repeats[repeat];
  return Array.from({ length: Math.min(size, MOST_LIT) }, (_, i) => nodeEntity(graph.id, first + i)).join(" ");
}

const framesOf = (cluster: Cluster): Cluster[] => cluster.clusters.flatMap((inner) => [inner, ...framesOf(inner)]);

export function Picture({ scene, layout, colours, indexOf, labelOf, isHit, onToggle }: PictureProps) {
  const store = useStore();
  const model = useModel();
  const lit = store.lit.value;
  const held = store.held.value;
  const hovered = parseEntity(store.hover.value);
  const centre = hovered?.kind === "node" ? nodeId(hovered.a, hovered.b) : hovered?.kind === "module" ? moduleId(hovered.a, hovered.b) : "";
  const frames = framesOf(scene.root);
  const open = new Set(frames.map(({ id }) => id));
  const calls = new Set(scene.edges.filter(({ isCall }) => isCall).map(({ from, to }) => `${from} ${to}`));

  const frame = ({ id, graph, module, repeat, boxes }: Cluster) => {
    const placed = layout.clusters.get(id);
    if (!placed) return null;
    const isBody = id === bodyId(graph);
    const { repeats, modules } = indexOf(graph).graph;
    const name = repeat >= 0 ? repeatLabel(repeats[repeat]) : isBody ? bodyName(model.graphTitle(graph)) : moduleLabel(modules[module]);
    const isWhole = repeat >= 0 && !boxes.some(({ blocks }) => blocks?.isRest && blocks.repeat === repeat);
    const closes = isWhole ? [id, id.replace("r", "q")] : [id];
    return <Frame key={id} placed={placed} name={name} entity={repeat >= 0 ? blockEntity(indexOf(graph), repeat) : isBody ? graphEntity(graph) : moduleEntity(graph, module)} onToggle={() => onToggle?.(closes)} />;
  };
  const boxOf = (box: Box) => {
    const placed = layout.boxes.get(box.id);
    if (!placed) return null;
    const index = indexOf(box.graph);
    const { title, detail } = labelOf(box);
    const isModule = box.module >= 0; // repeated blocks too
    const nodes = nodesOf(index.graph, box);
    const bodies = isModule || !onToggle ? [] : (index.graph.subgraphs[box.node] ?? []).map(bodyId).filter((id) => !open.has(id));
    const start = model.kin.vertex("node", box.graph, 0);
    const hit = isHit && nodes.some((node) => isHit({ index, node })) ? " is-hit" : "";
    const state = `${hit}${isSet(lit, start, nodes) ? " is-lit" : ""}${isSet(held, start, nodes) ? " is-held" : ""}`;
    const entry = isModule ? -1 : colours.entryOf(index, box.node);
    const look = entry >= 0 ? ` dl-filled ${colours.entries[entry].look}` : "";
    const kind = isModule ? "dl-box-module" : `dl-box-node dl-op-${index.op(box.node)}`;
    const entity = box.blocks ? blockEntity(index, box.blocks.repeat) : isModule ? moduleEntity(box.graph, box.module) : nodeEntity(box.graph, box.node);
    const toggle = isModule ? () => onToggle?.([box.id]) : bodies.length > 0 ? () => onToggle?.(bodies) : undefined;
    const middle = placed.x + placed.width / 2;
    return (
      <g
        key={box.id} class={`dl-box ${kind}${look}${state}${bodies.length > 0 ? " has-body" : ""}`} tabindex={0} role="button"
        aria-label={`${title} ${detail}`.trim()} data-entity={entity} data-own={toggle ? "" : undefined}
        onClick={toggle} onKeyDown={onKeys(toggle ?? (() => store.togglePin(entity)))}
      >
        {(bodies.length > 0 || box.blocks) && <rect class="dl-box-behind" x={placed.x + 3} y={placed.y + 3} width={placed.width} height={placed.height} rx={3} />}
        <rect x={placed.x} y={placed.y} width={placed.width} height={placed.height} rx={isModule ? 6 : 3} />
        {isModule && <Bar placed={placed} colours={colours} index={index} nodes={nodes} />}
        <text class="dl-box-title" x={middle} y={placed.y + (detail ? 14 : placed.height / 2 + 4)}>{title}</text>{" "}
        {detail && <text class="dl-box-detail" x={middle} y={placed.y + 27}>{detail}</text>}
      </g>
    );
  };
  return (
    <>
      {frames.map(frame)}
      {layout.edges.map((edge) => {
        const near = centre === "" ? "" : edge.from === centre ? "is-user" : edge.to === centre ? "is-input" : "";
        return (
          <g key={`${edge.from} ${edge.to}`} class={`dl-edge ${near}${calls.has(`${edge.from} ${edge.to}`) ? " is-call" : ""}`}>
            <path class="dl-edge-line" d={edge.path} />
            <path class="dl-edge-head" d={edge.arrow} />
          </g>
        );
      })}
      {scene.boxes.map(boxOf)}
    </>
  );
}
