// A graph as code, a node a row; inputs and users of the hovered node light up.
import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { useModel, useStore } from "../context";
import { graphEntity, lineEntity, nodeEntity, parseEntity } from "../entities";
import type { GraphIndex } from "../graph-index";
import { matches } from "../search";
import { Empty, Go, plural } from "../ui/bits";
import { Call } from "../ui/call";
import { Modes } from "../ui/modes";
import { SearchBox } from "../ui/search-box";
import { VirtualList } from "../ui/virtual-list";
import { nextOf } from "../virtual";

function Bodies({ index, node }: { index: GraphIndex; node: number }) {
  const { graphTitle } = useModel();
  const bodies = index.graph.subgraphs[node];
  if (!bodies) return null;
  return <span class="dl-bodies">{bodies.map((id) => <Go key={id} to={graphEntity(id)} title="the graph this operator calls" inRow>{"\u21b3"} {graphTitle(id)}</Go>)}</span>;
}

function Row({ index, node, repeat }: { index: GraphIndex; node: number; repeat: boolean }) {
  const value = index.value(node);
  const home = index.home[node];
  const hue = useModel().hue(home);
  const module = index.module(node);
  const output = index.op(node) === "output";
  const isGradient = index.gradient.has(node);
  return (
    <>
      <span class={`dl-row-number${hue >= 0 ? " dl-hued" : ""}`} style={hue >= 0 ? { "--dl-hue": hue } : undefined}>{node}</span>
      <span class="dl-cell-main">
        {output ? <span class="dl-keyword">return </span> : <span class="dl-name">{index.graph.name[node]}</span>}
        {!output && value && <span class="dl-value">: {value}</span>}
        {!output && <span class="dl-dim"> = </span>}
        <Call op={index.op(node)} target={index.target(node)} args={index.graph.arguments[node]} />
      </span>
      <Bodies index={index} node={node} />
      <span class="dl-cell-module" title={module}>{module}</span>
      <span class="dl-cell-line">
        {home && <Go to={lineEntity(home[0], home[1])} title={`${isGradient ? "gradient of " : ""}${index.line(node)}`} inRow>{isGradient && "\u2207 "}{repeat ? `:${home[1]}` : index.shortLine(node)}</Go>}
      </span>
    </>
  );
}

/** Steps through the rows that are kin of what is pinned or hovered. */
function Kin({ count, step }: { count: number; step(by: 1 | -1): void }) {
  if (count === 0) return null;
  return (
    <span class="dl-kin">
      {plural(count, "linked row")}
      <button type="button" class="dl-icon" aria-label="Previous linked row" title="Previous (N)" onClick={() => step(-1)}>{"\u2191"}</button>
      <button type="button" class="dl-icon" aria-label="Next linked row" title="Next (n)" onClick={() => step(1)}>{"\u2193"}</button>
    </span>
  );
}

export function Listing({ index }: { index: GraphIndex }) {
  const store = useStore();
  const { kin } = useModel();
  const { graph } = index;
  const query = useSignal("");
  const jump = useSignal({ index: -1, tick: 0 });
  const at = useRef(-1);
  const found = useComputed(() => matches(index.texts, query.value));
  const shown = query.value.trim() ? found.value : null;
  const count = shown ? shown.length : index.size;
  const nodeAt = (row: number): number => (shown ? shown[row] : row);
  const rowOf = (node: number): number => (shown ? shown.indexOf(node) : node);

  const hovered = parseEntity(store.hover.value || store.pin.value);
  const centre = hovered?.kind === "node" && hovered.a === graph.id ? hovered.b : -1;
  const inputs = new Set(centre >= 0 ? graph.inputs[centre] : []);
  const users = new Set(centre >= 0 ? index.users[centre] : []);
  const lit = store.lit.value;
  const held = store.held.value;
  const start = kin.vertex("node", graph.id, 0);
  const kinRows = held ? kin.nodesIn(held, graph.id) : [];

  const reveal = store.reveal.value;
  useEffect(() => {
    // Also when another stage of the graph is chosen: what is pinned stays, its first kin is shown.
    const wanted = parseEntity(store.pin.peek() || reveal.entity);
    const own = wanted?.kind === "node" && wanted.a === graph.id ? wanted.b : (kinRows[0] ?? -1);
    if (own < 0) return;
    at.current = own;
    jump.value = { index: rowOf(own), tick: jump.value.tick + 1 };
  }, [reveal.tick]);
  const step = (by: 1 | -1): void => {
    at.current = nextOf(kinRows, at.current, by);
    jump.value = { index: rowOf(at.current), tick: jump.value.tick + 1 };
  };
  const rowClass = (row: number): string => {
    const node = nodeAt(row);
    const state = [
      lit?.[start + node] ? "is-lit" : "", held?.[start + node] ? "is-held" : "",
      inputs.has(node) ? "is-input" : "", users.has(node) ? "is-user" : "", node === centre ? "is-centre" : "",
    ].join(" ");
    return `dl-row-node dl-op-${index.op(node)} ${state}`;
  };
  const repeats = (row: number): boolean => row > 0 && index.line(nodeAt(row)) === index.line(nodeAt(row - 1));
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key !== "n" && event.key !== "N") return;
    step(event.key === "n" ? 1 : -1);
    event.preventDefault();
  };
  return (
    <div class="dl-listing" onKeyDown={onKeyDown}>
      <div class="dl-toolbar">
        <SearchBox query={query} label="Search nodes" placeholder="operator, name, shape, module, line" />
        {shown && <span class="dl-dim" role="status">{count === 1 ? "1 match" : `${count.toLocaleString("en")} matches`}</span>}
        <span class="dl-space" />
        <Kin count={kinRows.length} step={step} />
        <Modes />
      </div>
      {count === 0
        ? <Empty title="No node matches">Each word must occur in the node's name, operator, shape, arguments, module or line.</Empty>
        : <VirtualList
            label={`Nodes of ${graph.title}`} count={count} row={22} rowClass={rowClass}
            entity={(row) => nodeEntity(graph.id, nodeAt(row))}
            renderRow={(row) => <Row index={index} node={nodeAt(row)} repeat={repeats(row)} />} show={jump.value}
          />}
    </div>
  );
}
