// How long a check of the guards takes: by the values that they are on, and with PyTorch's filters.
import { useModel } from "../core/context";
import type { GuardCostRow, GuardCostView } from "../core/types.generated";
import { seconds } from "../core/words";
import { CompileId, Empty, Prose, WhyNone } from "../ui/bits";
import { RunButton } from "../ui/runs/run-button";
import { Table } from "../ui/copy/table";

function Rows({ rows }: { rows: readonly GuardCostRow[] }) {
  if (rows.length === 0) return null;
  return (
    <Table class="dl-totals">
      <thead><tr><th scope="col">value</th><th scope="col">a check</th><th scope="col">share</th></tr></thead>
      <tbody>
        {rows.map(([name, took, share], index) => (
          <tr key={index}>
            <th scope="row">{name}</th>
            <td>{seconds(took)}</td>
            <td><span class="dl-share"><i style={{ width: `${Math.min(100, share * 100)}%` }} /></span>{(share * 100).toFixed(1)} %</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function Cost({ cost }: { cost: GuardCostView }) {
  return (
    <section aria-label={`Guards of ${cost.compile_id}`}>
      <p>{cost.title && <b>{cost.title} </b>}<span class="dl-dim">compilation <CompileId id={cost.compile_id} />.</span> {cost.sentence}</p>
      <Rows rows={cost.rows} />
      {cost.sum && <p class="dl-dim">{cost.sum}</p>}
      {cost.filters.length > 0 && <ul>{cost.filters.map((text) => <li key={text}><Prose text={text} /></li>)}</ul>}
      {cost.rows.length === 0 && <p class="dl-dim">A benchmark, or rec.time_guards(), also says which values take how long.</p>}
    </section>
  );
}

/** Each compilation's check, the longest first. */
export function GuardCosts() {
  const { view } = useModel();
  const { costs } = view.guards;
  if (costs.length === 0) {
    return <Empty title="No times of guards"><WhyNone>Guards are timed when they are built; this recording has none, or was made by an earlier version.</WhyNone></Empty>;
  }
  return (
    <div class="dl-scroll">
      {costs.every((cost) => cost.rows.length === 0) && <RunButton what="time_guards" label="Time by value" title="Checks the guards often, for less than a second each; compiles nothing" />}
      {costs.map((cost) => <Cost key={cost.compile_id} cost={cost} />)}
    </div>
  );
}
