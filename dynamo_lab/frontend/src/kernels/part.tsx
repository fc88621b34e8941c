// The part of kernels: they and their statements are its entities.
import { carryToLine } from "../core/carry";
import { type Entity, graphEntity, kernelEntity } from "../core/entities";
import type { Part, Selected, Store } from "../core/state";
import { Fact, KinGraphs, KinLines, Links } from "../selection/links";
import { Badge } from "../ui/bits";
import { Kernels } from "./kernels";
import { kernelLines } from "./lines";
import { kernelsState } from "./state";

function Kernel({ model, entity, mask }: Selected) {
  const kernel = model.view.kernels.kernels.find((k) => k.id === entity.a);
  if (!kernel) return null;
  return (
    <>
      <h3><Badge tone="plain">{kernel.language}</Badge> <code>{kernel.name}</code></h3>
      <dl>
        {kernel.graph !== null && <Links label="graph" to={[[graphEntity(kernel.graph), model.graphTitle(kernel.graph)]]} />}
        {kernel.operators.length > 0 && <Fact label={kernel.code ? "fuses" : "computes"}>{kernel.operators.join(" \u00b7 ")}</Fact>}
        <Fact label="called">{kernel.calls === 1 ? "once" : `${kernel.calls} times`}</Fact>
        <KinLines model={model} mask={mask} />
        <KinGraphs model={model} mask={mask} />
      </dl>
    </>
  );
}

const ORIGINS = {
  emitted: "The compiler wrote it for these nodes.",
  serves: "It computes no node by itself: what these nodes need reads it.",
  unknown: "The compiler does not say what it is for.",
} as const;

function Statement({ model, entity, mask }: Selected) {
  const kernel = model.view.kernels.kernels.find((k) => k.id === entity.a);
  const statement = kernel?.statements.find(([line]) => line === entity.b);
  if (!kernel || !statement) return null;
  return (
    <>
      <h3><Badge tone="plain">statement</Badge> <code>{kernel.code.split("\n")[entity.b - 1]?.trim().slice(0, 200)}</code></h3>
      <p class="dl-dim">{ORIGINS[statement[2]]}</p>
      <dl>
        <Links label="kernel" to={[[kernelEntity(kernel.id), kernel.title || kernel.name]]} />
        <KinLines model={model} mask={mask} />
        <KinGraphs model={model} mask={mask} />
      </dl>
    </>
  );
}

const show = (store: Store, { a }: Entity): void => void (kernelsState(store).kernel.value = { kind: "kernel", id: a });

export const kernelsPart: Part = {
  tab: "kernels",
  Panel: Kernels,
  kinds: {
    kernel: { Card: Kernel, show, carry: ({ a }, from, to) => carryToLine(kernelLines(from, a)[0], from, to) },
    statement: { Card: Statement, show },
  },
  count: (view) => view.kernels.kernels.length,
  hasKin: ({ view, kin }, held) => view.kernels.kernels.some((kernel) => held[kin.vertex("kernel", kernel.id)] === 1),
  follow: (store) => void (kernelsState(store).kernel.value = null),
};
