// A buffer: why it is in memory, how it lies there, and the loop that fills it.
import { useModel, useStore } from "../core/context";
import { bufferEntity, nodeEntity } from "../core/entities";
import type { BufferView } from "../core/types.generated";
import { Badge, Go, GraphChip, Prose, Where } from "../ui/bits";
import { VirtualList } from "../ui/virtual-list";

const CODE = /^((?:\w+ = )?)(ops\.)(\w+)(.*)$/s;

function Code({ text }: { text: string }) {
  const found = CODE.exec(text);
  if (!found) return <span class="dl-args">{text}</span>;
  const [, name, ops, operator, rest] = found;
  return <><span class="dl-name">{name}</span><span class="dl-dim">{ops}</span><span class="dl-op">{operator}</span><span class="dl-args">{rest}</span></>;
}

function Line({ line: [text, , node, depth], graph }: { line: BufferView["body"][number]; graph: number }) {
  const name = useModel().graphs.get(graph)?.name[node];
  return (
    <>
      <span class="dl-cell-main" style={{ paddingInlineStart: `${depth * 18}px` }} title={text}><Code text={text} /></span>
      <span class="dl-cell-line">{name && <Go to={nodeEntity(graph, node)} title="show it in Graphs" inRow>{name}</Go>}</span>
    </>
  );
}

/** The names of other buffers, and of inputs of the graph; constants are no links. */
function Names({ label, names, graph }: { label: string; names: readonly string[]; graph: number }) {
  const { view, graphs } = useModel();
  if (names.length === 0) return null;
  const goal = (name: string): readonly [to: string, title?: string] => {
    const buffer = view.lowering.buffers.find((one) => one.graph === graph && one.name === name);
    if (buffer) return [bufferEntity(buffer.id), buffer.why];
    const node = graphs.get(graph)?.name.indexOf(name) ?? -1;
    return node < 0 ? [""] : [nodeEntity(graph, node), "an input of the graph"];
  };
  return (
    <span><span class="dl-dim">{label}</span> {names.map((name) => {
      const [to, title] = goal(name);
      return to ? <Go key={name} to={to} title={title}>{name}</Go> : <code key={name}>{name}</code>;
    })}</span>
  );
}

function Facts({ buffer, told }: { buffer: BufferView; told: string }) {
  const { buffers } = useModel().view.lowering;
  const readers = buffer.readers.map((id) => buffers[id].name);
  return (
    <div class="dl-pass-facts">
      {buffer.why && !told.includes(buffer.why) && <p><Prose text={buffer.why} /></p>}
      <p class="dl-pass-aside dl-buffer-names">
        {buffer.layout && <span class="dl-dim"><Prose text={buffer.layout} /></span>}
        {buffer.where && <span class="dl-dim"><Where text={buffer.where} /></span>}
        <Names label="reads" names={buffer.reads} graph={buffer.graph} />
        <Names label="read by" names={readers} graph={buffer.graph} />
      </p>
    </div>
  );
}

/** The loops around the body, as one would write them. */
function Loops({ buffer }: { buffer: BufferView }) {
  if (buffer.loops.length === 0) return null;
  return (
    <p class="dl-loops">
      {buffer.loops.map(([variable, size]) => <span key={variable}><span class="dl-keyword">for</span> {variable} <span class="dl-dim">&lt;</span> {size}</span>)}
      {buffer.reduction && <Badge tone="plain">{buffer.reduction} over r</Badge>}
    </p>
  );
}

interface CardProps {
  readonly buffer: BufferView;
  /** The operator whose lines are to stand out, -1 for none. */
  readonly node: number;
  /** What is said above already, and not again. */
  readonly told: string;
}

export function BufferCard({ buffer, node, told }: CardProps) {
  const store = useStore();
  const { kin } = useModel();
  const { body, graph } = buffer;
  const rowClass = (i: number): string => {
    const vertex = kin.vertex("node", graph, body[i][2]);
    const own = node < 0 ? "" : body[i][2] === node ? " is-own" : " is-other";
    return `dl-row-loop${own}${store.lit.value?.[vertex] ? " is-lit" : ""}${store.held.value?.[vertex] ? " is-held" : ""}`;
  };
  const first = body.findIndex((line) => line[2] === node);
  return (
    <>
      <div class="dl-toolbar dl-buffer-head" data-entity={bufferEntity(buffer.id)}>
        <b class="dl-kernel-name">{buffer.name}</b>
        <Badge tone={buffer.body.length > 0 ? "stored" : "called"}>{buffer.kind}</Badge>
        {buffer.dropped && <Badge tone="grey">dropped</Badge>}
        {buffer.kernel && <code class="dl-ellipsis">{buffer.kernel}</code>}
        {buffer.value && <span class="dl-value dl-ellipsis">{buffer.value}</span>}
        {buffer.size && <span class="dl-dim">{buffer.size}</span>}
        {node < 0 && <GraphChip id={buffer.graph} />}
      </div>
      <Facts buffer={buffer} told={told} />
      <Loops buffer={buffer} />
      {body.length > 0 && (
        <VirtualList
          label={`Loop of ${buffer.name}`} class="dl-diff" count={body.length} row={22} rowClass={rowClass} show={{ index: first, tick: first }}
          entity={(i) => (body[i] && body[i][2] >= 0 ? nodeEntity(graph, body[i][2]) : "")} renderRow={(i) => <Line line={body[i]} graph={graph} />}
        />
      )}
    </>
  );
}
