// The reader's modules, a row each: repeated blocks as one, bars for what they cost, what differs.
import { useModel, usePart, useStore } from "../core/context";
import type { ModuleRow } from "../core/types.generated";
import { grouped, plural } from "../core/words";
import { Badge, Empty, Go, Prose } from "../ui/bits";
import { VirtualList } from "../ui/virtual-list";
import { Detail } from "./detail";
import { type Heat, MEASURE_NAMES, type Measure, type TreeRow } from "./rows";
import { modulesState } from "./state";

interface Column {
  readonly name: string;
  readonly label: string;
  readonly title: string;
  readonly width: string;
  readonly of?: Measure;
  text(row: ModuleRow): string;
}

const COLUMNS: readonly Column[] = [
  { name: "operators", label: "operators", title: "operators that Dynamo captured", width: "66px", text: (row) => (row.operators > 0 ? grouped(row.operators) : "") },
  { name: "kernels", label: "kernel calls", title: "calls of kernels that compute nothing of other modules, and those fused with some", width: "104px", text: kernels },
  { name: "time", label: "time", title: "seconds of its kernels in a call, and their part of all", width: "minmax(86px, 150px)", of: "seconds", text: (row) => row.time },
  { name: "bytes", label: "bytes", title: "what its kernels read and write at least", width: "78px", of: "bytes", text: (row) => row.bytes_text },
  { name: "flops", label: "FLOP", title: "operations of its matrix products, convolutions and attention", width: "88px", of: "flops", text: (row) => row.flops_text },
  { name: "compile", label: "compiling", title: "seconds of compiling that were taken at its nodes", width: "72px", of: "compile", text: (row) => row.compile_text },
];

const cellClass = (column: Column): string => `dl-module-cell${column.name === "kernels" ? " dl-module-kernels-of" : ""}`;

function kernels(row: ModuleRow): string {
  return [row.calls > 0 ? grouped(row.calls) : "", row.shared > 0 ? `+ ${grouped(row.shared)} shared` : ""].filter(Boolean).join(" ");
}

/** Bars from the left: what is the module's alone, then, hatched, what it shares. */
function Bar({ heat }: { heat: Heat }) {
  const width = (part: number): string => `${Math.min(100, part * 100).toFixed(1)}%`;
  return (
    <span class="dl-module-bar" aria-hidden="true">
      <i class="dl-module-own" style={{ width: width(heat.own) }} />
      {heat.shared > 0 && <i class="dl-module-shared" style={{ width: width(Math.min(heat.shared, 1 - heat.own)) }} />}
    </span>
  );
}

function Row({ one, columns, heat }: { one: TreeRow; columns: readonly Column[]; heat: Heat | null }) {
  const { isOpen, toggle } = usePart(modulesState);
  const { row, key, depth, isOther } = one;
  return (
    <span class="dl-module-row">
      <span class="dl-module-name" style={{ paddingInlineStart: `${depth * 16}px` }}>
        {row.children.length > 0
          ? <button type="button" class="dl-go dl-module-fold" tabIndex={-1} data-own aria-expanded={isOpen(key)} aria-label={isOpen(key) ? "Close" : "Open"} onClick={() => toggle(key)}>{isOpen(key) ? "\u25be" : "\u25b8"}</button>
          : <span class="dl-module-fold" />}
        <span class={row.alike > 1 ? "dl-module-several" : undefined}>{row.name}</span>
        {row.alike > 1 && <span class="dl-module-times"> {"\u00d7"} {grouped(row.alike)}</span>}
        {row.type && <span class="dl-dim"> {row.type}</span>}
        {row.differences.length > 0 && <Badge tone="warning">{row.differences.length > 1 ? `${row.differences.length} differences` : "a difference"}</Badge>}
        {isOther && <Badge tone="warning">differs</Badge>}
        {row.breaks > 0 && <Badge tone="warning">{plural(row.breaks, "break")}</Badge>}
      </span>
      <span class="dl-module-line">{row.line && <Go to={row.line} title={row.where} inRow>{row.where}</Go>}</span>
      {heat && <Bar heat={heat} />}
      {columns.map((column) => <span key={column.name} class={cellClass(column)} title={column.text(row) || undefined}>{column.text(row)}</span>)}
    </span>
  );
}

function Head({ columns, bar }: { columns: readonly Column[]; bar: boolean }) {
  return (
    <div class="dl-module-head" aria-hidden="true">
      <span class="dl-module-row">
        <span class="dl-module-name">module</span>
        <span class="dl-module-line">where</span>
        {bar && <span class="dl-module-bar-head" />}
        {columns.map((column) => <span key={column.name} class={cellClass(column)} title={column.title}>{column.label}</span>)}
      </span>
    </div>
  );
}

export function Modules() {
  const store = useStore();
  const { view, kin } = useModel();
  const state = usePart(modulesState);
  const rows = state.rows.value;
  const measure = state.measure.value;
  const heat = state.heat.value;
  if (view.modules.rows.length === 0) return <Empty title="No modules"><Prose text={view.modules.empty} /></Empty>;
  const used = COLUMNS.filter((column) => view.modules.rows.some((row) => column.text(row) !== ""));
  // beside the bar what it is of, which stays where there is little room
  const columns = [...used.filter((column) => column.of === measure), ...used.filter((column) => column.of !== measure)];
  const at = rows.findIndex((one) => one.key === state.chosen.value);
  const holds = (mask: Uint8Array | null, row: ModuleRow): boolean => mask !== null && row.entity !== "" && kin.resolve(row.entity).some((vertex) => mask[vertex] === 1);
  const isClosed = (one: TreeRow): boolean => one.row.children.length === 0 || !state.isOpen(one.key);
  const rowClass = (i: number): string => {
    const one = rows[i];
    const held = isClosed(one) && holds(store.held.value, one.row);
    return `dl-row-module${held ? " is-held" : ""}${i === at ? " is-current" : ""}`;
  };
  return (
    <div class="dl-modules" style={{ "--dl-module-columns": columns.map((column) => column.width).join(" ") }}>
      <div class="dl-toolbar">
        {state.measures.value.length > 1 && measure && (
          <label class="dl-check">bars: <select class="dl-select" value={measure} onChange={(event) => (state.wanted.value = event.currentTarget.value as Measure)}>
            {state.measures.value.map((one) => <option key={one} value={one}>{MEASURE_NAMES[one]}</option>)}
          </select></label>
        )}
        <span class="dl-dim dl-module-note" title={view.modules.sentences.join(" ")}><Prose text={view.modules.sentences.join(" ")} /></span>
      </div>
      <Head columns={columns} bar={measure !== undefined} />
      <VirtualList
        label="Modules" class="dl-module-list" count={rows.length} row={24} current={at} rowClass={rowClass}
        entity={(i) => rows[i].row.entity} onChoose={(i) => (state.chosen.value = rows[i].key)}
        renderRow={(i) => <Row one={rows[i]} columns={columns} heat={heat && heat(rows[i].row)} />}
      />
      {at >= 0 && <Detail row={rows[at].row} />}
    </div>
  );
}
