// Memory against arithmetic: the kernel asks the partitioner what other budgets would keep.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useStore } from "../core/context";
import type { Ask } from "../core/source";
import type { Budgets as Table } from "../core/types.generated";
import { messageOf, plural } from "../core/words";
import { Table as CopiedTable } from "../ui/copy/table";

export const NEEDS_KERNEL =
  "What other budgets would save is asked of the living program, and this page has none. In the process that recorded it, print(rec.repartition()) says it.";

export function Budgets({ partition }: { partition: number }) {
  const { ask } = useStore().source;
  return ask ? <Asked key={partition} ask={ask} partition={partition} /> : <p class="dl-partition dl-dim">{NEEDS_KERNEL}</p>;
}

function Asked({ ask, partition }: { ask: Ask; partition: number }) {
  const table = useSignal<Table | null>(null);
  const error = useSignal("");
  useEffect(() => {
    ask("repartition", { partition })
      .then((found) => (table.value = found))
      .catch((reason: unknown) => (error.value = messageOf(reason)));
  }, [partition]);
  if (error.value) return <p class="dl-would-error dl-partition" role="alert">{error.value}</p>;
  if (!table.value) return <p class="dl-partition dl-dim" role="status">Asking PyTorch's partitioner what it would save under other budgets. This compiles nothing.</p>;
  const most = Math.max(...table.value.rows.map((row) => row.activation_bytes), 1);
  return (
    <div class="dl-scroll dl-partition">
      <CopiedTable class="dl-budgets">
        <thead><tr>{table.value.headings.map((one) => <th key={one} colSpan={one === "saved" ? 2 : 1}>{one}</th>)}<th /></tr></thead>
        <tbody>
          {table.value.rows.map((row) => (
            <tr key={row.budget} class={row.is_used ? "is-used" : ""}>
              <td>{row.budget}</td>
              <td>{row.size}</td>
              <td><i class="dl-cost-bar" aria-hidden="true"><i style={{ width: `${(100 * row.activation_bytes) / most}%` }} /></i></td>
              <td>{row.values}</td>
              <td>{plural(row.operators, "operator")}</td>
              <td title="only of matrix products, convolutions and attention">{row.arithmetic}</td>
              <td class="dl-dim">{row.is_used ? "as compiled" : ""}</td>
            </tr>
          ))}
        </tbody>
      </CopiedTable>
      <p class="dl-dim">A budget is the share of activation memory to save. To compile with one: <code>torch._functorch.config.activation_memory_budget = 0.5</code></p>
    </div>
  );
}
