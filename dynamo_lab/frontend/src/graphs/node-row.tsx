// A node as a line of code: its inputs lead to where they are made, its users are counted.
import type { ComponentChildren } from "preact";
import { useModel } from "../core/context";
import { graphEntity, lineEntity, nodeEntity } from "../core/entities";
import { bytesText, plural } from "../core/words";
import { Go } from "../ui/bits";
import { Call } from "../ui/call";
import { bodyName } from "./diagram/labels";
import type { GraphIndex } from "./graph-index";
import type { NodeRow } from "./rows";

const NAME = /[A-Za-z_]\w*/g;

/** The arguments, with the names of inputs as links: not buttons, which a full row would drop whole. */
function Arguments({ index, node }: { index: GraphIndex; node: number }) {
  const { graph } = index;
  const text = graph.arguments[node];
  const inputs = new Map(graph.inputs[node].map((input) => [graph.name[input], input]));
  const parts: ComponentChildren[] = [];
  let end = 0;
  for (const match of text.matchAll(NAME)) {
    const input = inputs.get(match[0]);
    // Not "x" of "x=x", which is a name of the operator's.
    if (input === undefined || text[match.index + match[0].length] === "=") continue;
    parts.push(text.slice(end, match.index), <span key={match.index} class="dl-ref" data-go={nodeEntity(graph.id, input)} title={index.value(input)}>{match[0]}</span>);
    end = match.index + match[0].length;
  }
  return <>{parts}{text.slice(end)}</>;
}

/** A node's operator and arguments. */
export function NodeCall({ index, node }: { index: GraphIndex; node: number }) {
  const args = index.graph.arguments[node];
  return <Call op={index.op(node)} target={index.target(node)} args={args} drawn={<Arguments index={index} node={node} />} />;
}

interface BodiesProps {
  readonly index: GraphIndex;
  readonly node: number;
  isOpen(body: number): boolean;
  onToggle(body: number): void;
}

function Bodies({ index, node, isOpen, onToggle }: BodiesProps) {
  const { graphTitle } = useModel();
  const bodies = index.graph.subgraphs[node];
  if (!bodies) return null;
  return (
    <span class="dl-bodies">
      {bodies.map((id) => (
        <button
          key={id} type="button" class="dl-go" tabIndex={-1} data-own aria-expanded={isOpen(id)}
          title={`${isOpen(id) ? "Close" : "Open"} ${bodyName(graphTitle(id))}, a graph that this operator calls (\u2192)`} onClick={() => onToggle(id)}
        >
          {isOpen(id) ? "\u25be" : "\u25b8"} {bodyName(graphTitle(id)).replace(/ of .*$/s, "")}
        </button>
      ))}
    </span>
  );
}

function Users({ index, node }: { index: GraphIndex; node: number }) {
  const users = index.users[node];
  const names = users.slice(0, 6).map((user) => index.graph.name[user]).join(", ");
  if (index.op(node) === "output") return <span class="dl-cell-users" />;
  if (users.length === 0) return <span class="dl-cell-users dl-dim" title="no node uses it">0</span>;
  return (
    <span class="dl-cell-users">
      <Go to={nodeEntity(index.graph.id, users[0])} title={`${plural(users.length, "user")}: ${names}${users.length > 6 ? "\u2026" : ""}`} inRow>{users.length}{"\u2193"}</Go>
    </span>
  );
}

function Head({ index, depth }: { index: GraphIndex; depth: number }) {
  const { graph } = index;
  return (
    <>
      <span class="dl-row-number" />
      <span class="dl-cell-main dl-body-head" style={{ paddingInlineStart: `${depth * 18}px` }}>
        <Go to={graphEntity(graph.id)} title="Show it alone" inRow>{bodyName(graph.title)}</Go> <span class="dl-dim">{plural(graph.name.length, "node")}</span>
      </span>
    </>
  );
}

interface RowProps {
  readonly row: NodeRow;
  /** Whether the row above came from the same line. */
  readonly repeat: boolean;
  isOpen(body: number): boolean;
  onToggle(body: number): void;
}

export function Row({ row: { index, node, depth }, repeat, isOpen, onToggle }: RowProps) {
  const { hue: hueOf } = useModel();
  if (node < 0) return <Head index={index} depth={depth} />;
  const value = index.value(node);
  const bytes = index.bytes(node);
  const home = index.home[node];
  const hue = hueOf(home);
  const module = index.box(node);
  const output = index.op(node) === "output";
  const isGradient = index.gradient.has(node);
  const facts = [bytes === null ? "" : bytesText(bytes), index.layout(node)].filter(Boolean).join(", ");
  return (
    <>
      <span class={`dl-row-number${hue >= 0 ? " dl-hued" : ""}`} style={hue >= 0 ? { "--dl-hue": hue } : undefined}>{node}</span>
      <span class="dl-cell-main" style={depth > 0 ? { paddingInlineStart: `${depth * 18}px` } : undefined}>
        {output ? <span class="dl-keyword">return </span> : <span class="dl-name">{index.graph.name[node]}</span>}
        {!output && value && <span class="dl-value" title={facts || undefined}>: {value}</span>}
        {!output && <span class="dl-dim"> = </span>}
        <NodeCall index={index} node={node} />
      </span>
      <Bodies index={index} node={node} isOpen={isOpen} onToggle={onToggle} />
      <span class="dl-cell-module" title={module}>{module}</span>
      <span class="dl-cell-line">
        {home && <Go to={lineEntity(home[0], home[1])} title={`${isGradient ? "gradient of " : ""}${index.line(node)}`} inRow>{isGradient && "\u2207 "}{repeat ? `:${home[1]}` : index.shortLine(node)}</Go>}
      </span>
      <Users index={index} node={node} />
    </>
  );
}
