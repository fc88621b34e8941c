// The ranks of a job: the plan of one that did not run, its collectives in time, its mesh, DTensors and memory.
import { useStore } from "../core/context";
import type { MessagesView, PlannedView, PlanView, RankMemoryView, SplitView } from "../core/types.generated";
import { cut } from "../core/words";
import { Prose } from "../ui/bits";
import { Table } from "../ui/copy/table";
import { Collectives } from "./collectives";
import { Asked, GoIn } from "./go-in";
import { Mesh } from "./mesh";
import { Ddp } from "./reducers";
import { Tensors } from "./tensors";

/** The most characters of the names of a bucket's parameters. */
const MOST_NAMES = 90;

function Split({ split }: { split: SplitView }) {
  return (
    <section class="dl-split">
      <p><Prose text={split.sentence} /></p>
      {split.buckets.length > 1 && (
        <Table class="dl-plan dl-split-table">
          <thead><tr>{[...split.head, "which"].map((name) => <th key={name} scope="col">{name}</th>)}</tr></thead>
          <tbody>
            {split.buckets.map(({ cells, parameters }) => (
              <tr key={cells[0]}>{cells.map((cell, i) => <td key={i}>{cell}</td>)}<td title={parameters.join("\n")}>{cut(parameters.join(", "), MOST_NAMES)}</td></tr>
            ))}
          </tbody>
        </Table>
      )}
    </section>
  );
}

function Planned({ label, row, cell, name }: { label: string; row: PlannedView; cell: string; name: string }) {
  if (name === "line") return <GoIn label={label} to={row.line}>{cell}</GoIn>;
  if (name === "asked by") return <Asked text={cell} node={row.node} label={label} to={row.node_entity} />;
  return <Prose text={cell} />;
}

function Plan({ plan }: { plan: PlanView }) {
  return (
    <section>
      <p><b>{plan.sentence}</b></p>
      {plan.remarks.map((text) => <p key={text} class="dl-dim">{text}</p>)}
      <Table class="dl-plan">
        <thead><tr>{plan.kinds_head.map((name) => <th key={name} scope="col">{name}</th>)}</tr></thead>
        <tbody>{plan.kinds.map(({ label, cells }) => <tr key={label}>{cells.map((cell, i) => <td key={i}>{cell}</td>)}</tr>)}</tbody>
      </Table>
      {plan.kinds.map(({ label, rows }, at) => (
        <details key={label} open={at === 0}>
          <summary>What {label} would call</summary>
          <Table class="dl-plan">
            <thead><tr>{plan.head.map((name) => <th key={name} scope="col">{name}</th>)}</tr></thead>
            <tbody>{rows.map((row, i) => <tr key={i}>{row.cells.map((cell, j) => <td key={j}><Planned label={label} row={row} cell={cell} name={plan.head[j]} /></td>)}</tr>)}</tbody>
          </Table>
        </details>
      ))}
    </section>
  );
}

function Messages({ messages }: { messages: MessagesView }) {
  return (
    <section>
      <h3>Messages</h3>
      <p>{messages.sentence}</p>
      <Table class="dl-plan">
        <thead><tr>{messages.head.map((name) => <th key={name} scope="col">{name}</th>)}</tr></thead>
        <tbody>{messages.rows.map(({ cells, rank, line }, i) => <tr key={i}>{cells.map((cell, j) => <td key={j}>{messages.head[j] === "line" ? <GoIn label={rank} to={line}>{cell}</GoIn> : <Prose text={cell} />}</td>)}</tr>)}</tbody>
      </Table>
    </section>
  );
}

function Memory({ memory }: { memory: RankMemoryView }) {
  return (
    <section>
      <h3>Memory of a rank</h3>
      {memory.sentences.map((text) => <p key={text}>{text}</p>)}
      <Table class="dl-plan dl-rank-memory">
        <thead><tr>{memory.head.map((name) => <th key={name} scope="col">{name}</th>)}</tr></thead>
        <tbody>{memory.rows.map((row) => <tr key={row[0]}>{row.map((cell, i) => <td key={i}>{cell}</td>)}</tr>)}</tbody>
      </Table>
    </section>
  );
}

export function Ranks() {
  const view = useStore().source.recordings.ranks.value;
  if (!view) return null;
  return (
    <div class="dl-scroll dl-ranks-part">
      {view.plan && <Plan plan={view.plan} />}
      {view.collectives && <Collectives view={view.collectives} />}
      {view.messages && <Messages messages={view.messages} />}
      {view.meshes.map((mesh) => <Mesh key={mesh.title} mesh={mesh} />)}
      {view.tensors.length > 0 && <Tensors tensors={view.tensors} />}
      {view.memory && <Memory memory={view.memory} />}
      {view.ddp && <Ddp ddp={view.ddp} />}
      {view.splits.map((split) => <Split key={split.title} split={split} />)}
    </div>
  );
}
