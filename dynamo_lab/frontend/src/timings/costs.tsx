// Seconds of compiling by line, function, module, operator, kernel and pass, and what caches said.
import { useSignal } from "@preact/signals";
import { COST_ROW, type CacheView, type CostRow, type CompileMemoryView, type CostTable, type WarmStartView } from "../core/types.generated";
import { plural, seconds } from "../core/words";
import { CompileId, Go } from "../ui/bits";
import { RunButton } from "../ui/runs/run-button";
import { Table } from "../ui/copy/table";

type Column = "seconds" | "tracing" | "lowering" | "code" | "building" | "count";

const COLUMNS: readonly (readonly [column: Column, label: string, title: string])[] = [
  ["seconds", "seconds", "all that was measured of it"],
  ["tracing", "tracing", "Dynamo on its way to the nodes of it"],
  ["lowering", "lowering", "Inductor lowering its nodes"],
  ["code", "code", "Inductor writing its kernels"],
  ["building", "building", "waiting for the compiler, shared by how long each kernel took"],
  ["count", "count", "how many nodes, or runs of a pass"],
];

const MOST = 30;

const amount = (row: CostRow, column: Column): string => {
  const value = row[COST_ROW[column]];
  if (column === "count") return value ? String(value) : "";
  return value > 0 ? seconds(value) : "";
};

function Rows({ table }: { table: CostTable }) {
  const by = useSignal<Column>("seconds");
  const column = by.value;
  const rows = [...table.rows].sort((a, b) => b[COST_ROW[column]] - a[COST_ROW[column]]);
  const columns = COLUMNS.filter(([name]) => table.rows.some((row) => row[COST_ROW[name]] > 0));
  const cut = rows.slice(MOST).reduce((sum, row) => sum + row[COST_ROW.seconds], 0) + table.others;
  const more = Math.max(0, rows.length - MOST) + table.more;
  return (
    <Table class="dl-totals">
      <thead>
        <tr>
          <th scope="col">{table.by}</th>
          {columns.map(([name, label, title]) => (
            <th key={name} scope="col" title={title} aria-sort={name === column ? "descending" : "none"}>
              <button type="button" class="dl-go" onClick={() => (by.value = name)}>{label}{name === column ? " \u25be" : ""}</button>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.slice(0, MOST).map((row) => (
          <tr key={row[COST_ROW.name]}>
            <th scope="row" title={row[COST_ROW.name]}>
              {row[COST_ROW.entity] ? <Go to={row[COST_ROW.entity]}>{row[COST_ROW.name]}</Go> : row[COST_ROW.name]}
            </th>
            {columns.map(([name]) => <td key={name}>{amount(row, name)}</td>)}
          </tr>
        ))}
      </tbody>
      <tfoot>
        {more > 0 && <tr><td colSpan={columns.length + 1}>and {plural(more, "more row")}: {seconds(cut)}</td></tr>}
        {table.rest > 0 && <tr><td colSpan={columns.length + 1}>the rest, which is of none of them: {seconds(table.rest)}</td></tr>}
      </tfoot>
    </Table>
  );
}

/** One table at a time: the reader chooses by what. */
export function Costs({ tables }: { tables: readonly CostTable[] }) {
  const chosen = useSignal(0);
  const table = tables[Math.min(chosen.value, tables.length - 1)];
  if (!table) return null;
  return (
    <section aria-label="Compile time by">
      <div class="dl-toolbar" role="group" aria-label="By what">
        <span class="dl-dim">Seconds by</span>
        {tables.map((one, index) => (
          <button key={one.by} type="button" class="dl-button" aria-pressed={one === table} onClick={() => (chosen.value = index)}>{one.by}</button>
        ))}
      </div>
      {table.note && <p class="dl-dim">{table.note}</p>}
      <Rows key={table.by} table={table} />
    </section>
  );
}

/** What the compile caches would keep: the recording itself looks past them. */
export function Caches({ caches, warm }: { caches: readonly CacheView[]; warm: WarmStartView }) {
  if (caches.length === 0 && !warm.sentence) return null;
  return (
    <section aria-label="Caches">
      <p class="dl-dim">Compile caches, which a recording looks past:</p>
      <ul>
        {caches.map((cache, index) => (
          <li key={index}>
            {cache.sentence} {cache.compile_id && <span class="dl-dim">compilation <CompileId id={cache.compile_id} /></span>}
            {cache.entity && <> <Go to={cache.entity}>{cache.where}</Go></>}
            {cache.reason && <span class="dl-dim"> {cache.reason}</span>}
          </li>
        ))}
      </ul>
      {warm.sentence && <p>{warm.sentence}</p>}
      {warm.details.map((text) => <p key={text}>{text}</p>)}
      {!warm.is_measured && <RunButton what="warm_start" label="Measure a warm start" title="Compiles the program three times, in folders of its own" />}
    </section>
  );
}

/** What compiling did to the peak memory of the process. */
export function Memory({ memory }: { memory: CompileMemoryView }) {
  if (!memory.sentence) return null;
  return (
    <section aria-label="Peak memory of compiling">
      <p>{memory.sentence}</p>
      {memory.rows.length > 0 && (
        <Table class="dl-totals">
          <thead><tr><th scope="col">phase</th><th scope="col">rose by</th></tr></thead>
          <tbody>{memory.rows.map(([name, , by]) => <tr key={name}><th scope="row">{name}</th><td>{by}</td></tr>)}</tbody>
        </Table>
      )}
      <p class="dl-dim">{memory.note}</p>
    </section>
  );
}
