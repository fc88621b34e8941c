// What the selection panel tells of a node, of a module, and of a graph.
import { useStore } from "../core/context";
import { graphEntity, lineEntity, nodeEntity, operatorEntity } from "../core/entities";
import { moduleNodes } from "../core/kin";
import type { Selected } from "../core/state";
import { bytesText, plural } from "../core/words";
import { operatorsOf } from "../decompositions/state";
import { loweringState } from "../lowering/state";
import { Fact, KinFacts, KinGraphs, KinLines, Links, OfFrame } from "../selection/links";
import { Badge } from "../ui/bits";
import { indicesOf } from "./graph-index";
import { graphsState } from "./state";

export function Node({ model, entity, mask }: Selected) {
  const store = useStore();
  const { around, mode } = graphsState(store);
  const index = indicesOf(model)(entity.a);
  if (!index) return null;
  const { graph } = index;
  const node = entity.b;
  const named = (nodes: readonly number[]) => [...new Set(nodes)].map((n) => [nodeEntity(graph.id, n), graph.name[n]] as const);
  const bytes = index.bytes(node);
  const memory = [bytes === null ? "" : bytesText(bytes), index.layout(node)].filter(Boolean).join(", ");
  const showAround = (): void => {
    around.value = nodeEntity(graph.id, node);
    mode.value = "diagram";
    store.go(nodeEntity(graph.id, node));
  };
  const isLowered = index.op(node).startsWith("call_") && model.view.lowering.lowerings.some((one) => one.graph === graph.id);
  const bodies = (graph.subgraphs[node] ?? []).map((id) => [graphEntity(id), model.graphTitle(id)] as const);
  return (
    <>
      <h3><Badge tone="plain">{index.op(node)}</Badge> <code>{graph.name[node]}</code> <span class="dl-dim">in {graph.title}</span></h3>
      {index.op(node).startsWith("call_") && <pre class="dl-quote dl-wrap">{index.target(node)}({graph.arguments[node]})</pre>}
      <dl>
        {index.value(node) && <Fact label="value"><code>{index.value(node)}</code>{memory && <span class="dl-dim"> {memory}</span>}</Fact>}
        {index.box(node) && <Fact label="module"><code>{index.box(node)}</code></Fact>}
        <Links label="calls" to={bodies} />
        <Links label="decomposes as" to={operatorsOf(model)(graph.id, node).map((i) => [operatorEntity(i), model.view.decompositions.operators[i].operator])} />
        <Links label="inputs" to={named(graph.inputs[node])} />
        <Links label={`users (${index.users[node].length})`} to={named(index.users[node])} />
        {index.gradient.has(node) && index.home[node] && <Links label={"\u2207 gradient of"} to={[[lineEntity(...index.home[node]), index.shortLine(node)]]} />}
        <KinLines model={model} mask={mask} />
        <KinFacts model={model} mask={mask} />
        <KinGraphs model={model} mask={mask} except={graph.id} />
      </dl>
      <span class="dl-chips">
        <button type="button" class="dl-button" data-own onClick={showAround}>Show what is around it</button>
        {isLowered && <button type="button" class="dl-button" data-own onClick={() => loweringState(store).show(nodeEntity(graph.id, node))}>Show its lowering</button>}
      </span>
    </>
  );
}

export function Module({ model, entity, mask }: Selected) {
  const graph = model.graphs.get(entity.a);
  const module = graph?.modules[entity.b];
  if (!graph || !module) return null;
  return (
    <>
      <h3><Badge tone="plain">module</Badge> <code>{module.path || module.name}</code></h3>
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

export function Graph({ model, entity }: Selected) {
  const graph = model.graphs.get(entity.a);
  if (!graph) return null;
  return (
    <>
      <h3><Badge tone="plain">{graph.stage}</Badge> {graph.title}</h3>
      <p class="dl-dim">{graph.subtitle}</p>
      <dl>
        <Fact label="holds">{plural(graph.name.length, "node")}, {plural(graph.operators, "operator")}</Fact>
        <OfFrame model={model} id={graph.frame} />
      </dl>
    </>
  );
}
