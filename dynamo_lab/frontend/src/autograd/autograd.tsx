// What the forward keeps for the backward, what runs again in it, and each operator beside its gradient.
import { useComputed, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useModel, usePart, useStore } from "../core/context";
import { nodeEntity, parseEntity } from "../core/entities";
import type { LineCost, PairRow, PartitionView, RecomputedRow, SavedRow } from "../core/types.generated";
import { withoutFolders } from "../core/words";
import { type GraphIndex, indicesOf } from "../graphs/graph-index";
import { NodeCall } from "../graphs/node-row";
import { Badge, Empty, Go, GraphChip, Prose } from "../ui/bits";
import { VirtualList } from "../ui/virtual-list";
import { Budgets } from "./budgets";
import { autogradState } from "./state";


const MODES = ["lines", "kept", "again", "pairs", "handled", "budgets"] as const;
type Mode = (typeof MODES)[number];

/** Pairs as rows: the operator, below it its nodes at the left and its gradient's at the right. */
export type PairLine =
  | { readonly kind: "operator"; readonly pair: PairRow }
  | { readonly kind: "nodes"; readonly forward: number; readonly backward: number };

export function pairLines(pairs: readonly PairRow[]): PairLine[] {
  return pairs.flatMap((pair): PairLine[] => [
    { kind: "operator", pair },
    ...Array.from({ length: Math.max(pair.forward.length, pair.backward.length) }, (_, i): PairLine => (
      { kind: "nodes", forward: pair.forward[i] ?? -1, backward: pair.backward[i] ?? -1 }
    )),
  ]);
}

/** A bar as long as a value's share of the largest. */
function Bar({ bytes, most }: { bytes: number; most: number }) {
  return <i class="dl-cost-bar" aria-hidden="true"><i style={{ width: `${most > 0 ? (100 * bytes) / most : 0}%` }} /></i>;
}

function LineRow({ cost, most }: { cost: LineCost; most: number }) {
  return (
    <>
      <b class="dl-bytes">{cost.size}</b><Bar bytes={cost.bytes} most={most} />
      <span class="dl-dim dl-cost-count">{cost.count === 1 ? "1 value" : `${cost.count} values`}</span>
      <code class="dl-cell-main">{cost.line || (cost.entity ? "" : cost.where) || "no line of the program"}</code>
      <span class="dl-cell-line">{cost.entity && <Go to={cost.entity} title={cost.where} inRow>{withoutFolders(cost.where)}</Go>}</span>
    </>
  );
}

const ROLES: Readonly<Record<string, string>> = { activation: "", copy: "copy", parameter: "parameter", input: "input", output: "output", symbol: "size", state: "state" };

function Kept({ row, most, role }: { row: SavedRow | RecomputedRow; most: number; role: string }) {
  return (
    <>
      <b class={`dl-bytes${row.bytes === 0 ? " dl-dim" : ""}`}>{row.size}</b><Bar bytes={row.bytes} most={most} />
      <span class="dl-kept-name">
        <span class="dl-name">{row.name}</span><span class="dl-value">: {row.value}</span>
        {role && <> <Badge tone="grey">{role}</Badge></>}
        {row.module && <span class="dl-dim"> {row.module}</span>}
      </span>
      <span class="dl-cell-line">{row.entity && <Go to={row.entity} title={row.where} inRow>{withoutFolders(row.where)}</Go>}</span>
      <span class="dl-kept-why" title={row.why.replace(/`/g, "")}>
        <Prose text={row.why} inRow />{row.price && <span class="dl-dim" title="The min-cut's price: its bytes, a tenth more for each operator between it and the backward, twice that where it would never be written to memory">{"  \u00b7  "}price {row.price}</span>}
      </span>
    </>
  );
}

function Side({ index, node }: { index: GraphIndex; node: number }) {
  if (node < 0) return <span class="dl-pair-side" />;
  return (
    <span class="dl-pair-side" data-entity={nodeEntity(index.graph.id, node)} title={index.value(node)}>
      <span class="dl-name">{index.graph.name[node]}</span><span class="dl-dim"> = </span><NodeCall index={index} node={node} />
    </span>
  );
}

function Operator({ pair }: { pair: PairRow }) {
  return (
    <>
      <b class="dl-op">{pair.operator || "gradients added up"}</b>
      <span class="dl-dim dl-cell-main">{pair.backward.length === 0 ? "no gradient" : pair.line || pair.where}</span>
      <span class="dl-cell-line">{pair.entity && <Go to={pair.entity} title={pair.where} inRow>{withoutFolders(pair.where)}</Go>}</span>
    </>
  );
}

function Pairs({ part }: { part: PartitionView }) {
  const store = useStore();
  const model = useModel();
  const { kin } = model;
  const rows = useComputed(() => pairLines(partOf(store.model.value?.view.partitions, part.id)?.pairs ?? [])).value;
  const index = part.joint === null ? null : indicesOf(model)(part.joint);
  if (!index || rows.length === 0) return <Empty title="No joint graph">Forward and backward were not traced together.</Empty>;
  const isLit = (node: number): boolean => node >= 0 && store.lit.value?.[kin.vertex("node", index.graph.id, node)] === 1;
  const rowClass = (i: number): string => {
    const row = rows[i];
    if (row.kind === "operator") return "dl-row-head";
    return `dl-row-pair${isLit(row.forward) ? " is-lit-forward" : ""}${isLit(row.backward) ? " is-lit-backward" : ""}`;
  };
  return (
    <>
      <div class="dl-pair-heads" aria-hidden="true"><span>forward</span><span>backward</span></div>
      <VirtualList
        label="Operators and their gradients" count={rows.length} row={22} rowClass={rowClass}
        entity={(i) => { const row = rows[i]; return row?.kind === "nodes" && row.forward >= 0 ? nodeEntity(index.graph.id, row.forward) : ""; }}
        renderRow={(i) => { const row = rows[i]; return row.kind === "operator" ? <Operator pair={row.pair} /> : <><Side index={index} node={row.forward} /><Side index={index} node={row.backward} /></>; }}
      />
    </>
  );
}

const partOf = (parts: readonly PartitionView[] | undefined, id: number): PartitionView | undefined => parts?.find((part) => part.id === id);

/** A list of values or lines, each with a bar. */
function Costs<Row extends { readonly bytes: number; readonly entity: string }>({ rows, label, row, entity, draw }: {
  rows: readonly Row[]; label: string; row: number; entity(row: Row): string; draw(row: Row, most: number): ComponentChildren;
}) {
  const store = useStore();
  const { kin } = useModel();
  const most = Math.max(...rows.map((one) => one.bytes), 0);
  const state = (mask: Uint8Array | null, name: string, row: Row): string => {
    const found = parseEntity(entity(row));
    if (!mask || (found?.kind !== "node" && found?.kind !== "line")) return "";
    return mask[kin.vertex(found.kind, found.a, found.b)] ? name : "";
  };
  return (
    <VirtualList
      label={label} count={rows.length} row={row} entity={(i) => entity(rows[i])}
      rowClass={(i) => `dl-row-cost ${state(store.lit.value, "is-lit", rows[i])} ${state(store.held.value, "is-held", rows[i])}`}
      renderRow={(i) => draw(rows[i], most)}
    />
  );
}

function Body({ part, mode }: { part: PartitionView; mode: Mode }) {
  switch (mode) {
    case "lines": return <Costs rows={part.lines} label="Lines" row={26} entity={(cost) => cost.entity} draw={(cost, most) => <LineRow cost={cost} most={most} />} />;
    case "kept": return <Costs<SavedRow> rows={part.saved} label="Saved values" row={44} entity={(row) => row.node} draw={(row, most) => <Kept row={row} most={most} role={row.donated ? "donated" : ROLES[row.role] ?? row.role} />} />;
    case "again": return <Costs<RecomputedRow> rows={part.recomputed} label="Recomputed operators" row={44} entity={(row) => row.backward} draw={(row, most) => <Kept row={row} most={most} role={row.is_free ? "free" : ""} />} />;
    case "pairs": return <Pairs part={part} />;
    case "budgets": return <Budgets partition={part.id} />;
    case "handled": return <ul class="dl-scroll dl-handled">{part.handled.map((text, i) => <li key={i}><Prose text={text} /></li>)}</ul>;
  }
}

/** How many each list is about: of what is recomputed, what costs something, as in every sentence. */
export function counts(part: PartitionView): Readonly<Record<Mode, readonly [string, number]>> {
  return {
    lines: [`By ${part.by}`, part.lines.length],
    kept: ["Saved", part.saved.length],
    again: ["Recomputed", part.recomputed.filter((row) => !row.is_free).length],
    pairs: ["Side by side", part.pairs.length],
    handled: ["Mutations", part.handled.length],
    budgets: ["Budgets", part.method === "min-cut" ? 6 : 0],
  };
}

function Picker({ parts, shown }: { parts: readonly PartitionView[]; shown: PartitionView }) {
  const { partition } = usePart(autogradState);
  if (parts.length < 2) return null;
  return (
    <select class="dl-select" aria-label="Partition" value={shown.id} onChange={(event) => (partition.value = Number(event.currentTarget.value))}>
      {parts.map((part) => <option key={part.id} value={part.id}>{part.title}</option>)}
    </select>
  );
}

export function Autograd() {
  const store = useStore();
  const { view } = useModel();
  const chosen = useSignal<Mode | null>(null);
  const parts = view.partitions.filter((part) => part.backward !== null || part.handled.length > 0);
  const part = partOf(parts, autogradState(store).partition.value ?? -1) ?? parts[0];
  if (!part) return <Empty title="No autograd">No gradient was requested, and no input was changed in place.</Empty>;
  const numbers = counts(part);
  const modes = MODES.filter((one) => numbers[one][1] > 0);
  const mode = chosen.value && modes.includes(chosen.value) ? chosen.value : modes[0];
  return (
    <>
      <div class="dl-toolbar">
        <Picker parts={parts} shown={part} />
        {[part.joint, part.forward, part.backward].map((id) => id !== null && <GraphChip key={id} id={id} />)}
      </div>
      <div class="dl-partition">
        {part.sentences.map((text) => <p key={text}><Prose text={text} /></p>)}
        <Share part={part} />
      </div>
      <div class="dl-toolbar">
        <div class="dl-segments" role="group" aria-label="What to show">
          {modes.map((one) => (
            <button key={one} type="button" aria-pressed={one === mode} onClick={() => (chosen.value = one)}>
              {numbers[one][0]} {one !== "budgets" && <span class="dl-count">{numbers[one][1]}</span>}
            </button>
          ))}
        </div>
      </div>
      {mode && <Body key={`${part.id} ${mode}`} part={part} mode={mode} />}
    </>
  );
}

/** What is kept of all that the backward reads. */
function Share({ part }: { part: PartitionView }) {
  const all = Math.max(part.unpartitioned_bytes ?? 0, part.activation_bytes);
  if (part.backward === null || all === 0) return null;
  const percent = Math.round((100 * part.activation_bytes) / all);
  return (
    <div class="dl-kept-share" role="img" aria-label={`${percent} % of what the backward reads is saved`} title={`${percent} % of what the backward reads is saved, the rest is computed again`}>
      <i style={{ width: `${percent}%` }}>{percent >= 12 ? `saved ${percent} %` : ""}</i><span>{percent < 100 ? `recomputed ${100 - percent} %` : ""}</span>
    </div>
  );
}
