// What is selected: its facts, its links, its reason.
import type { ComponentChildren } from "preact";
import { useModel, useStore } from "../core/context";
import { breakEntity, bufferEntity, type Entity, frameEntity, graphEntity, guardEntity, kernelEntity, lineEntity, nodeEntity, opEntity, operatorEntity, parseEntity } from "../core/entities";
import type { Mask } from "../core/kin";
import { moduleNodes } from "../core/kin";
import type { Model } from "../core/store";
import { blocks } from "../ui/blocks";
import { bytesText } from "../core/words";
import { Badge, Go, outcomeTone, plural, Prose } from "../ui/bits";

/** Links beyond these are counted, not drawn: a line of a large model has thousands of nodes. */
const MOST_LINKS = 8;

function Links({ label, to, more }: { label: string; to: readonly (readonly [entity: string, text: string])[]; more?: number }) {
  if (to.length === 0) return null;
  const rest = to.length - MOST_LINKS + (more ?? 0);
  return (
    <div class="dl-links">
      <dt title={label}>{label}</dt>
      <dd>
        {to.slice(0, MOST_LINKS).map(([entity, text]) => <Go key={entity} to={entity}>{text}</Go>)}
        {rest > 0 && <span class="dl-dim">and {rest.toLocaleString("en")} more</span>}
      </dd>
    </div>
  );
}

function Fact({ label, children }: { label: string; children: ComponentChildren }) {
  return <div class="dl-links"><dt>{label}</dt><dd>{children}</dd></div>;
}

interface Facts {
  readonly model: Model;
  readonly entity: Entity;
  readonly mask: Mask;
}

function KinLines({ model, mask, except }: { model: Model; mask: Mask; except?: string }) {
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

function KinGraphs({ model, mask, except }: { model: Model; mask: Mask; except?: number }) {
  return (
    <>
      {model.view.graphs.filter((graph) => graph.id !== except).map((graph) => {
        const nodes = model.kin.nodesIn(mask, graph.id);
        return <Links key={graph.id} label={graph.title} to={nodes.slice(0, MOST_LINKS).map((node) => [nodeEntity(graph.id, node), graph.name[node]])} more={Math.max(0, nodes.length - MOST_LINKS)} />;
      })}
    </>
  );
}

function OfFrame({ model, id }: { model: Model; id: number | null }) {
  const frame = model.view.frames.find((one) => one.id === id);
  return <Links label="frame" to={frame ? [[frameEntity(frame.id), frame.name]] : []} />;
}

function KinFacts({ model, mask }: { model: Model; mask: Mask }) {
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

function Line({ model, entity, mask }: Facts) {
  const line = model.sources.line(entity.a, entity.b);
  const label = model.sources.label(entity.a, entity.b);
  return (
    <>
      <h4><Badge tone={outcomeTone(line?.[2] ?? "")}>{line?.[2] || "line"}</Badge> {label}</h4>
      {line && <pre class="dl-quote">{line[1].trim()}</pre>}
      <dl><KinFacts model={model} mask={mask} /><KinGraphs model={model} mask={mask} /></dl>
    </>
  );
}

function Node({ model, entity, mask }: Facts) {
  const store = useStore();
  const index = model.graphIndex(entity.a);
  if (!index) return null;
  const { graph } = index;
  const node = entity.b;
  const named = (nodes: readonly number[]) => [...new Set(nodes)].map((n) => [nodeEntity(graph.id, n), graph.name[n]] as const);
  const bytes = index.bytes(node);
  const memory = [bytes === null ? "" : bytesText(bytes), index.layout(node)].filter(Boolean).join(", ");
  const showAround = (): void => {
    store.around.value = nodeEntity(graph.id, node);
    store.graphMode.value = "diagram";
    store.go(nodeEntity(graph.id, node));
  };
  const isLowered = index.op(node).startsWith("call_") && model.view.lowering.lowerings.some((one) => one.graph === graph.id);
  const bodies = (graph.subgraphs[node] ?? []).map((id) => [graphEntity(id), model.graphTitle(id)] as const);
  return (
    <>
      <h4><Badge tone="plain">{index.op(node)}</Badge> <code>{graph.name[node]}</code> <span class="dl-dim">in {graph.title}</span></h4>
      {index.op(node).startsWith("call_") && <pre class="dl-quote dl-wrap">{index.target(node)}({graph.arguments[node]})</pre>}
      <dl>
        {index.value(node) && <Fact label="value"><code>{index.value(node)}</code>{memory && <span class="dl-dim"> {memory}</span>}</Fact>}
        {index.box(node) && <Fact label="module"><code>{index.box(node)}</code></Fact>}
        <Links label="calls" to={bodies} />
        <Links label="decomposes as" to={model.operatorsOf(graph.id, node).map((i) => [operatorEntity(i), model.view.decompositions.operators[i].operator])} />
        <Links label="inputs" to={named(graph.inputs[node])} />
        <Links label={`users (${index.users[node].length})`} to={named(index.users[node])} />
        {index.gradient.has(node) && index.home[node] && <Links label={"\u2207 gradient of"} to={[[lineEntity(...index.home[node]), index.shortLine(node)]]} />}
        <KinLines model={model} mask={mask} />
        <KinFacts model={model} mask={mask} />
        <KinGraphs model={model} mask={mask} except={graph.id} />
      </dl>
      <span class="dl-chips">
        <button type="button" class="dl-button" data-own onClick={showAround}>Show what is around it</button>
        {isLowered && <button type="button" class="dl-button" data-own onClick={() => store.showLowering(nodeEntity(graph.id, node))}>Show its lowering</button>}
      </span>
    </>
  );
}

function Kernel({ model, entity, mask }: Facts) {
  const kernel = model.view.kernels.kernels.find((k) => k.id === entity.a);
  if (!kernel) return null;
  return (
    <>
      <h4><Badge tone="plain">{kernel.language}</Badge> <code>{kernel.name}</code></h4>
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

function Buffer({ model, entity, mask }: Facts) {
  const buffer = model.view.lowering.buffers[entity.a];
  if (!buffer) return null;
  return (
    <>
      <h4><Badge tone="plain">{buffer.kind}</Badge> <code>{buffer.name}</code> <span class="dl-dim">of {model.graphTitle(buffer.graph)}</span></h4>
      <p><Prose text={buffer.why} /></p>
      <dl>
        {buffer.value && <Fact label="value"><code>{buffer.value}</code> <span class="dl-dim">{buffer.size}</span></Fact>}
        <KinLines model={model} mask={mask} />
        <KinFacts model={model} mask={mask} />
        <KinGraphs model={model} mask={mask} />
      </dl>
    </>
  );
}

const ORIGINS = {
  emitted: "Inductor wrote it for these nodes.",
  serves: "It computes no node by itself: what these nodes need reads it.",
  unknown: "Inductor does not say what it is for.",
} as const;

function Statement({ model, entity, mask }: Facts) {
  const kernel = model.view.kernels.kernels.find((k) => k.id === entity.a);
  const statement = kernel?.statements.find(([line]) => line === entity.b);
  if (!kernel || !statement) return null;
  return (
    <>
      <h4><Badge tone="plain">statement</Badge> <code>{kernel.code.split("\n")[entity.b - 1]?.trim().slice(0, 200)}</code></h4>
      <p class="dl-dim">{ORIGINS[statement[2]]}</p>
      <dl>
        <Links label="kernel" to={[[kernelEntity(kernel.id), kernel.title || kernel.name]]} />
        <KinLines model={model} mask={mask} />
        <KinGraphs model={model} mask={mask} />
      </dl>
    </>
  );
}

function Break({ model, entity, mask }: Facts) {
  const item = model.view.breaks.find((b) => b.id === entity.a);
  if (!item) return null;
  return (
    <>
      <h4><Badge tone="warning">break {model.breakNumber(item.id)}</Badge> <Prose text={item.title} /></h4>
      <p class="dl-clamp"><Prose text={blocks(item.explanation)[0]?.text || item.reason} /></p>
      <dl>
        <KinLines model={model} mask={mask} />
        <OfFrame model={model} id={model.view.frames.find((frame) => frame.breaks.includes(item.id))?.id ?? null} />
        <Links label="graphs" to={[...(item.before === null ? [] : [item.before]), ...item.after].map((id) => [graphEntity(id), model.graphTitle(id)])} />
      </dl>
    </>
  );
}

function Frame({ model, entity }: Facts) {
  const frame = model.view.frames.find((f) => f.id === entity.a);
  if (!frame) return null;
  return (
    <>
      <h4><Badge tone={outcomeTone(frame.outcome)}>{frame.outcome}</Badge> {frame.name}</h4>
      {frame.reason && <p><Prose text={frame.reason} /></p>}
      <dl>
        <Links label="line" to={frame.entity ? [[frame.entity, frame.where]] : []} />
        <Links label="graphs" to={frame.graphs.map((id) => [graphEntity(id), model.graphTitle(id)])} />
        <Links label="breaks" to={frame.breaks.map((id) => [breakEntity(id), `break ${model.breakNumber(id)}`])} />
      </dl>
    </>
  );
}

function Guard({ model, entity }: Facts) {
  const guard = model.view.guards.guards[entity.a];
  if (!guard) return null;
  return (
    <>
      <h4><Badge tone="plain">{guard.kind}</Badge> <code>{guard.source}</code></h4>
      {guard.expressions.map((text, i) => <pre key={i} class="dl-quote dl-wrap">{text}</pre>)}
      <dl>
        <Links label="asked for by" to={guard.entity ? [[guard.entity, guard.where]] : []} />
        <OfFrame model={model} id={guard.frame} />
        <Fact label="compilation">{guard.compile_id}</Fact>
      </dl>
    </>
  );
}

function Symbol({ model, entity }: Facts) {
  const symbol = model.view.shapes.symbols[entity.a];
  if (!symbol) return null;
  return (
    <>
      <h4><Badge tone="plain">symbol</Badge> <code>{symbol.name}</code> <span class="dl-dim">in {symbol.frame} {symbol.compile_id}</span></h4>
      {symbol.pinned.map((fact, i) => <p key={i}><Prose text={fact.text} /></p>)}
      <dl>
        {symbol.stands_for.length > 0 && <Fact label="stands for"><code>{symbol.stands_for.join(", ")}</code></Fact>}
        <Fact label="may be">{symbol.range}</Fact>
        <Links label="lines" to={[symbol, ...symbol.pinned].flatMap((at) => (at.entity ? [[at.entity, at.where] as const] : []))} />
      </dl>
    </>
  );
}

function Operator({ model, entity, mask }: Facts) {
  const { decompositions } = model.view;
  const item = decompositions.operators[entity.a];
  if (!item) return null;
  const rule = decompositions.trees.rules[item.rule];
  return (
    <>
      <h4><Badge tone="plain">operator</Badge> <code>{item.operator}</code></h4>
      <dl>
        <Fact label="called">{item.times === 1 ? "once" : `${item.times} times`}</Fact>
        <Fact label="becomes">{decompositions.sets.map(([, title], i) => `${item.became[i].toLocaleString("en")} in ${title}`).join(", ")}</Fact>
        {rule && <Fact label="by"><code>{rule.name}</code> {rule.where}</Fact>}
        <KinLines model={model} mask={mask} />
        <KinFacts model={model} mask={mask} />
        <KinGraphs model={model} mask={mask} />
      </dl>
    </>
  );
}

function Module({ model, entity, mask }: Facts) {
  const graph = model.graphs.get(entity.a);
  const module = graph?.modules[entity.b];
  if (!graph || !module) return null;
  return (
    <>
      <h4><Badge tone="plain">module</Badge> <code>{module.path || module.name}</code></h4>
      <dl>
        {module.type && <Fact label="type"><code>{module.type}</code></Fact>}
        <Fact label="holds">{plural(moduleNodes(graph, entity.b).length, "node")}</Fact>
        <KinLines model={model} mask={mask} />
        <KinFacts model={model} mask={mask} />
        <KinGraphs model={model} mask={mask} except={graph.id} />
      </dl>
    </>
  );
}

function Graph({ model, entity }: Facts) {
  const graph = model.graphs.get(entity.a);
  if (!graph) return null;
  return (
    <>
      <h4><Badge tone="plain">{graph.stage}</Badge> {graph.title}</h4>
      <p class="dl-dim">{graph.subtitle}</p>
      <dl>
        <Fact label="holds">{plural(graph.name.length, "node")}, {plural(graph.operators, "operator")}</Fact>
        <OfFrame model={model} id={graph.frame} />
      </dl>
    </>
  );
}

function Operation({ model, entity, mask }: Facts) {
  const schedule = model.view.fusions.schedules.find((one) => one.operations.some((item) => item.id === entity.a));
  const item = schedule?.operations.find((one) => one.id === entity.a);
  if (!schedule || !item) return null;
  const others = (item.place < 0 ? [] : schedule.groups[schedule.final[item.place].group].operations).filter((i) => schedule.operations[i] !== item);
  return (
    <>
      <h4><Badge tone="plain">{item.kind}</Badge> <code>{item.name}</code> <span class="dl-dim">{item.title}, in {schedule.title}</span></h4>
      <dl>
        {item.loops && <Fact label="loops"><code>{item.loops}</code></Fact>}
        <Fact label="writes"><code>{item.buffers.join(", ")}</code></Fact>
        <Links label="fused with" to={others.map((i) => [opEntity(schedule.operations[i].id), schedule.operations[i].name])} />
        <Links label="comes after" to={item.after.map((i) => [opEntity(schedule.operations[i].id), schedule.operations[i].name])} />
        <KinLines model={model} mask={mask} />
        <KinFacts model={model} mask={mask} />
        <KinGraphs model={model} mask={mask} />
      </dl>
    </>
  );
}

const CARDS: Readonly<Record<Entity["kind"], (facts: Facts) => ComponentChildren>> = {
  line: Line, node: Node, kernel: Kernel, break: Break, frame: Frame, guard: Guard, symbol: Symbol, module: Module, graph: Graph, operator: Operator, buffer: Buffer, op: Operation, statement: Statement,
};

/** Several at once, such as the kernels that do what one of another recording does. */
function Several({ model, entities, mask }: { model: Model; entities: readonly string[]; mask: Mask }) {
  return (
    <>
      <h4>{plural(entities.length, parseEntity(entities[0])?.kind ?? "thing")}</h4>
      <dl>
        <KinLines model={model} mask={mask} />
        <KinFacts model={model} mask={mask} />
        <KinGraphs model={model} mask={mask} />
      </dl>
    </>
  );
}

export function Selection() {
  const store = useStore();
  const model = useModel();
  const pinned = store.pin.value !== "";
  const focus = store.focus.value;
  const several = focus.split(" ");
  const entity = parseEntity(focus);
  const mask = pinned ? store.held.value : store.lit.value;
  const Card = entity && mask ? CARDS[entity.kind] : null;
  return (
    <aside class={`dl-selection${pinned ? " is-pinned" : ""}`} aria-label="Selection">
      {mask && (Card || several.length > 1)
        ? (
          <>
            {Card && entity ? <Card model={model} entity={entity} mask={mask} /> : <Several model={model} entities={several} mask={mask} />}
            {pinned && <button type="button" class="dl-icon dl-unpin" aria-label="Unpin" title="Unpin (Esc)" data-own onClick={store.unpin}>{"\u2715"}</button>}
          </>
        )
        : <p class="dl-dim dl-hint">Hover lights up what belongs together, a click pins it. <kbd>?</kbd> shows the keys.</p>}
    </aside>
  );
}
