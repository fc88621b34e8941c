// What the cards of the selection are made of: facts, links, and the kin in every room.
import type { ComponentChildren } from "preact";
import { breakEntity, bufferEntity, frameEntity, guardEntity, kernelEntity, lineEntity, nodeEntity } from "../core/entities";
import type { Mask } from "../core/kin";
import type { Model } from "../core/model";
import { Go } from "../ui/bits";
import { grouped } from "../core/words";

/** Links beyond these are counted, not drawn: a line of a large model has thousands of nodes. */
const MOST_LINKS = 8;

export function Links({ label, to, more }: { label: string; to: readonly (readonly [entity: string, text: string])[]; more?: number }) {
  if (to.length === 0) return null;
  const rest = to.length - MOST_LINKS + (more ?? 0);
  return (
    <div class="dl-links">
      <dt title={label}>{label}</dt>
      <dd>
        {to.slice(0, MOST_LINKS).map(([entity, text]) => <Go key={entity} to={entity}>{text}</Go>)}
        {rest > 0 && <span class="dl-dim">and {grouped(rest)} more</span>}
      </dd>
    </div>
  );
}

export function Fact({ label, children }: { label: string; children: ComponentChildren }) {
  return <div class="dl-links"><dt>{label}</dt><dd>{children}</dd></div>;
}

export function KinLines({ model, mask, except }: { model: Model; mask: Mask; except?: string }) {
  const found: [string, string][] = [];
  for (const source of model.view.sources) {
    for (const [number] of source.lines) {
      const vertex = model.kin.vertex("line", source.id, number);
      const entity = lineEntity(source.id, number);
      if (vertex >= 0 && mask[vertex] && entity !== except) found.push([entity, model.sources.shortLabel(source.id, number)]);
    }
  }
  return <Links label="lines" to={found} />;
}

export function KinGraphs({ model, mask, except }: { model: Model; mask: Mask; except?: number }) {
  return (
    <>
      {model.view.graphs.filter((graph) => graph.id !== except).map((graph) => {
        const nodes = model.kin.nodesIn(mask, graph.id);
        return <Links key={graph.id} label={graph.title} to={nodes.slice(0, MOST_LINKS).map((node) => [nodeEntity(graph.id, node), graph.name[node]])} more={Math.max(0, nodes.length - MOST_LINKS)} />;
      })}
    </>
  );
}

export function OfFrame({ model, id }: { model: Model; id: number | null }) {
  const frame = model.view.frames.find((one) => one.id === id);
  return <Links label="frame" to={frame ? [[frameEntity(frame.id), frame.name]] : []} />;
}

export function KinFacts({ model, mask }: { model: Model; mask: Mask }) {
  const { view, kin } = model;
  const kernels = view.kernels.kernels.filter((kernel) => mask[kin.vertex("kernel", kernel.id)]);
  const breaks = view.breaks.filter((item) => mask[kin.vertex("break", item.id)]);
  const frames = view.frames.filter((frame) => mask[kin.vertex("frame", frame.id)]);
  const buffers = view.lowering.buffers.filter((buffer) => !buffer.dropped && mask[kin.vertex("buffer", buffer.id)]);
  const guards = view.guards.guards.flatMap((guard, i) => (mask[kin.vertex("guard", i)] ? [[guardEntity(i), guard.source || guard.kind] as const] : []));
  return (
    <>
      <Links label="kernels" to={kernels.map((kernel) => [kernelEntity(kernel.id), kernel.title || kernel.name])} />
      <Links label="buffers" to={buffers.map((buffer) => [bufferEntity(buffer.id), buffer.name])} />
      <Links label="breaks" to={breaks.map((item) => [breakEntity(item.id), `${model.breakNumber(item.id)} ${item.title}`])} />
      <Links label="guards" to={guards} />
      <Links label="frames" to={frames.map((frame) => [frameEntity(frame.id), frame.name])} />
    </>
  );
}
