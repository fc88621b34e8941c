// The boxes, frames and edges of a laid-out scene as SVG. Texts are text nodes, never markup.
import type { Box, Scene } from "../boxes";
import { useModel, useStore } from "../context";
import { moduleEntity, nodeEntity, parseEntity } from "../entities";
import type { GraphIndex } from "../graph-index";
import { type Mask, moduleNodes } from "../kin";
import type { Layout, Placed } from "../layout";
import type { ModuleView } from "../types";

interface Label {
  readonly title: string;
  readonly detail: string;
}

interface PictureProps {
  readonly index: GraphIndex;
  readonly scene: Scene;
  readonly layout: Layout;
  labelOf(box: Box): Label;
  readonly onToggle?: (module: number) => void;
}

/** "h.0 GPT2Block": a bare number says nothing without what it counts. */
export function moduleLabel({ name, path, type }: ModuleView): string {
  const place = /^\d+$/.test(name) ? path.split(".").slice(-2).join(".") : name || path;
  return [place, type !== name && type].filter(Boolean).join(" ");
}

function isSet(mask: Mask | null, start: number, nodes: readonly number[]): boolean {
  return mask !== null && nodes.some((node) => mask[start + node] === 1);
}

function Frame({ placed, name, entity, onToggle }: { placed: Placed; name: string; entity: string; onToggle(): void }) {
  return (
    <g class="dl-frame-box" data-entity={entity}>
      <rect x={placed.x} y={placed.y} width={placed.width} height={placed.height} rx={6} />
      <text x={placed.x + 8} y={placed.y + 15}>{name}</text>
      <g
        class="dl-close-box" role="button" tabIndex={0} aria-label={`Close ${name}`} data-own
        onClick={onToggle}
        onKeyDown={(event) => {
          if (event.key !== "Enter" && event.key !== " ") return;
          event.preventDefault();
          onToggle();
        }}
      >
        <rect x={placed.x + placed.width - 20} y={placed.y + 4} width={15} height={15} rx={3} />
        <path d={`M${placed.x + placed.width - 16},${placed.y + 11.5}h7`} />
      </g>
    </g>
  );
}

export function Picture({ index, scene, layout, labelOf, onToggle }: PictureProps) {
  const store = useStore();
  const { kin } = useModel();
  const { graph } = index;
  const start = kin.vertex("node", graph.id, 0);
  const lit = store.lit.value;
  const held = store.held.value;
  const hovered = parseEntity(store.hover.value);
  const centre = hovered?.kind === "node" && hovered.a === graph.id ? `n${hovered.b}`
    : hovered?.kind === "module" && hovered.a === graph.id ? `m${hovered.b}` : "";
  const nodesOf = (box: Box): readonly number[] => (box.node >= 0 ? [box.node] : moduleNodes(graph, box.module));
  return (
    <>
      {[...layout.clusters].sort((a, b) => b[1].width * b[1].height - a[1].width * a[1].height).map(([module, placed]) => (
        <Frame
          key={`c${module}`} placed={placed} entity={moduleEntity(graph.id, module)} onToggle={() => onToggle?.(module)}
          name={graph.modules[module] ? moduleLabel(graph.modules[module]) : ""}
        />
      ))}
      {layout.edges.map((edge) => {
        const near = centre !== "" && (edge.from === centre ? "is-user" : edge.to === centre ? "is-input" : "");
        return (
          <g key={`${edge.from} ${edge.to}`} class={`dl-edge ${near || ""}`}>
            <path class="dl-edge-line" d={edge.path} />
            <path class="dl-edge-head" d={edge.arrow} />
          </g>
        );
      })}
      {scene.boxes.map((box) => {
        const placed = layout.boxes.get(box.id);
        if (!placed) return null;
        const { title, detail } = labelOf(box);
        const nodes = nodesOf(box);
        const isModule = box.module >= 0;
        const state = `${isSet(lit, start, nodes) ? " is-lit" : ""}${isSet(held, start, nodes) ? " is-held" : ""}`;
        const kind = isModule ? "dl-box-module" : `dl-box-node dl-op-${index.op(box.node)}`;
        const toggle = isModule ? () => onToggle?.(box.module) : undefined;
        const middle = placed.x + placed.width / 2;
        return (
          <g
            key={box.id} class={`dl-box ${kind}${state}`} tabIndex={0} role="button" aria-label={`${title} ${detail}`}
            data-entity={isModule ? moduleEntity(graph.id, box.module) : nodeEntity(graph.id, box.node)}
            data-own={isModule ? "" : undefined} onClick={toggle}
            onKeyDown={(event) => {
              if (event.key !== "Enter" && event.key !== " ") return;
              event.preventDefault();
              if (toggle) toggle();
              else store.togglePin(nodeEntity(graph.id, box.node));
            }}
          >
            <rect x={placed.x} y={placed.y} width={placed.width} height={placed.height} rx={isModule ? 6 : 3} />
            <text class="dl-box-title" x={middle} y={placed.y + (detail ? 15 : placed.height / 2 + 4)}>{title}</text>
            {detail && <text class="dl-box-detail" x={middle} y={placed.y + 28}>{detail}</text>}
          </g>
        );
      })}
    </>
  );
}
