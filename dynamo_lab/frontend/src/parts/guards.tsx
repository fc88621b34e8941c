// Recompilations first, then the guards, grouped by the value they check.
import { useComputed, useSignal } from "@preact/signals";
import { useModel, useStore } from "../context";
import { guardEntity } from "../entities";
import { matches } from "../search";
import type { GuardView, RecompileView } from "../types";
import { Badge, Empty, Go, plural, Prose, withoutFolders } from "../ui/bits";
import { SearchBox } from "../ui/search-box";
import { VirtualList } from "../ui/virtual-list";

type Row =
  | { readonly kind: "source"; readonly source: string; readonly count: number }
  | { readonly kind: "guard"; readonly index: number; readonly expression: string; readonly first: boolean };

/** Guards as rows: a heading for each value, below it an expression a row. */
export function guardRows(guards: readonly GuardView[], shown: readonly number[] | null): Row[] {
  const groups = new Map<string, number[]>();
  for (const index of shown ?? guards.keys()) {
    const key = guards[index].source || "(global state)";
    const group = groups.get(key);
    if (group) group.push(index);
    else groups.set(key, [index]);
  }
  return [...groups].flatMap(([source, indices]): Row[] => [
    { kind: "source", source, count: indices.length },
    ...indices.flatMap((index) => {
      const texts = guards[index].expressions.length > 0 ? guards[index].expressions : [guards[index].kind];
      return texts.map((expression, i): Row => ({ kind: "guard", index, expression, first: i === 0 }));
    }),
  ]);
}

function searchText(guard: GuardView): string {
  const { source, kind, where, compile_id: id, expressions } = guard;
  return [source, kind, where, id, ...expressions].join("\n").toLowerCase();
}

function Recompile({ item }: { item: RecompileView }) {
  return (
    <article class="dl-card dl-card-small" data-entity={`frame:${item.frame}`}>
      <header>
        <h3><Prose text={item.title} /></h3>
        <span class="dl-dim">{item.compile_id}</span>
        {item.limit_hit && <Badge tone="bad">limit reached</Badge>}
      </header>
      <ul class="dl-plain">
        {item.failures.map(([id, text], i) => <li key={i}><span class="dl-dim">{id}</span> <code>{text}</code></li>)}
      </ul>
      {item.advice && <p class="dl-advice-line"><Prose text={item.advice} /></p>}
    </article>
  );
}

function GuardRow({ row, guards }: { row: Row; guards: readonly GuardView[] }) {
  if (row.kind === "source") {
    return <><code class="dl-guard-source">{row.source}</code><span class="dl-count">{row.count}</span></>;
  }
  const guard = guards[row.index];
  const isKind = row.expression === guard.kind;
  return (
    <>
      <code class={`dl-cell-main${isKind ? " dl-dim" : ""}`} title={row.expression}>{row.expression}</code>
      {row.first && (
        <>
          {!isKind && <span class="dl-dim dl-cell-kind" title={guard.kind}>{guard.kind}</span>}
          <span class="dl-dim dl-cell-id" title="compilation">{guard.compile_id}</span>
          <span class="dl-cell-line">{guard.entity && <Go to={guard.entity} title={guard.where} inRow>{withoutFolders(guard.where)}</Go>}</span>
        </>
      )}
    </>
  );
}

export function Guards() {
  const store = useStore();
  const { view, kin } = useModel();
  const { guards, recompiles } = view.guards;
  const query = useSignal("");
  const texts = useComputed(() => (store.model.value?.view.guards.guards ?? []).map(searchText));
  const rows = useComputed(() => guardRows(store.model.value?.view.guards.guards ?? [], matches(texts.value, query.value)));
  if (guards.length === 0 && recompiles.length === 0) {
    return <Empty title="No guards">Guards are the conditions under which compiled code holds. Nothing was compiled here, so there are none.</Empty>;
  }
  const reveal = store.reveal.value;
  const shown = rows.value.findIndex((row) => row.kind === "guard" && guardEntity(row.index) === reveal.entity);
  const rowClass = (i: number): string => {
    const row = rows.value[i];
    if (row.kind === "source") return "dl-row-head";
    const vertex = kin.vertex("guard", row.index);
    return `dl-row-guard${store.lit.value?.[vertex] ? " is-lit" : ""}${store.held.value?.[vertex] ? " is-held" : ""}`;
  };
  const entity = (i: number): string => {
    const row = rows.value[i];
    return row?.kind === "guard" ? guardEntity(row.index) : "";
  };
  return (
    <>
      {recompiles.length > 0 && (
        <div class="dl-recompiles">
          <h3 class="dl-subhead">{plural(recompiles.length, "recompilation")}</h3>
          {recompiles.map((item, i) => <Recompile key={i} item={item} />)}
        </div>
      )}
      <div class="dl-toolbar">
        <SearchBox query={query} label="Search guards" placeholder={"value, kind, expression, line"} />
        <span class="dl-dim">{plural(rows.value.filter((row) => row.kind === "source").length, "value")}</span>
      </div>
      {guards.length === 0 && <Empty title="No guards recorded">The recording holds the recompilations alone.</Empty>}
      {guards.length > 0 && (rows.value.length === 0
        ? <Empty title="No guard matches">Each word must occur in the value, its kind, its expression or its line.</Empty>
        : <VirtualList
            label="Guards" count={rows.value.length} row={24} entity={entity} rowClass={rowClass}
            renderRow={(i) => <GuardRow row={rows.value[i]} guards={guards} />}
            show={{ index: shown, tick: reveal.tick }}
          />)}
    </>
  );
}
