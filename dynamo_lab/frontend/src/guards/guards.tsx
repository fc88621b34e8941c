// Why it compiled again, the guards grouped by the value they check, and the sizes left open.
import { useComputed, useSignal } from "@preact/signals";
import { useState } from "preact/hooks";
import { useModel, usePart, useStore } from "../core/context";
import { guardEntity } from "../core/entities";
import { matches } from "../core/search";
import type { GuardView, WouldPass } from "../core/types.generated";
import { plural, withoutFolders } from "../core/words";
import { Badge, CompileId, Empty, Go, WhyNone } from "../ui/bits";
import { SearchBox } from "../ui/search-box";
import { VirtualList } from "../ui/virtual-list";
import { Recompiles } from "./recompiles";
import { GUARD_MODES, type GuardMode, guardsState } from "./state";
import { Symbols } from "./symbols";
import { GuardCosts } from "./costs";
import { WouldPassBox } from "./would-pass";

type Row =
  | { readonly kind: "source"; readonly source: string; readonly count: number }
  | { readonly kind: "guard"; readonly index: number; readonly expression: string; readonly first: boolean };

const STATE = "(global state)";

/** Guards as rows: a heading for each value, below it an expression a row. */
export function guardRows(guards: readonly GuardView[], shown: readonly number[] | null): Row[] {
  const groups = new Map<string, number[]>();
  for (const index of shown ?? guards.keys()) {
    const key = guards[index].is_state ? STATE : guards[index].source || "(sizes)";
    const group = groups.get(key);
    if (group) group.push(index);
    else groups.set(key, [index]);
  }
  return [...groups].flatMap(([source, indices]): Row[] => [
    { kind: "source", source, count: indices.length },
    ...indices.flatMap((index) => {
      const { text, expressions, kind } = guards[index];
      const told = text === "" ? expressions : [text, ...expressions];
      const texts = told.length > 0 ? told : [kind];
      return texts.map((expression, i): Row => ({ kind: "guard", index, expression, first: i === 0 }));
    }),
  ]);
}

function searchText(guard: GuardView): string {
  const { source, kind, where, compile_id: id, compile_ids: ids, text, expressions } = guard;
  return [source, kind, where, id, ...ids, text, ...expressions].join("\n").toLowerCase();
}

/** Guards of a compilation that a tried call fails: rows to be lit. */
export function failing(guard: GuardView, tried: WouldPass | null): boolean {
  return (tried?.checks ?? []).some((check) => !check.passes && check.compile_id === guard.compile_id && check.source === guard.source && guard.source !== "");
}

/** The rows without those below a folded heading. */
export function withoutFolded(rows: readonly Row[], folded: ReadonlySet<string>): Row[] {
  let hidden = false;
  return rows.filter((row) => {
    if (row.kind === "source") hidden = folded.has(row.source);
    return row.kind === "source" || !hidden;
  });
}

interface GuardRowProps {
  readonly row: Row;
  readonly guards: readonly GuardView[];
  readonly folded: ReadonlySet<string>;
}

/** The list folds and unfolds what is chosen in it, by click and by Enter. */
function GuardRow({ row, guards, folded }: GuardRowProps) {
  if (row.kind === "source") {
    const isFolded = folded.has(row.source);
    return (
      <button type="button" class="dl-guard-head" tabIndex={-1} aria-expanded={!isFolded} data-own>
        <span aria-hidden="true">{isFolded ? "\u25b8" : "\u25be"}</span>
        <code class="dl-guard-source">{row.source}</code><span class="dl-count">{row.count}</span>
      </button>
    );
  }
  const guard = guards[row.index];
  const isKind = row.expression === guard.kind;
  return (
    <>
      <code class={`dl-cell-main${isKind ? " dl-dim" : ""}`} title={row.expression}>{row.expression}</code>
      {row.first && (
        <>
          {guard.failed !== "" && <span title={guard.failed}><Badge tone="bad">failed</Badge></span>}
          {!isKind && <span class="dl-dim dl-cell-kind" title={guard.kind}>{guard.kind}</span>}
          <span class="dl-dim dl-cell-id" >{(guard.is_state ? guard.compile_ids : [guard.compile_id]).map((one, i) => <>{i > 0 && ", "}<CompileId key={one} id={one} /></>)}</span>
          <span class="dl-cell-line">{guard.entity && <Go to={guard.entity} title={guard.where} inRow>{withoutFolders(guard.where)}</Go>}</span>
        </>
      )}
    </>
  );
}

function Explorer() {
  const store = useStore();
  const { view, kin } = useModel();
  const { guards } = view.guards;
  const query = useSignal("");
  const folded = useSignal<ReadonlySet<string>>(new Set());
  const tried = useSignal<WouldPass | null>(null);
  const texts = useComputed(() => (store.model.value?.view.guards.guards ?? []).map(searchText));
  const all = useComputed(() => guardRows(store.model.value?.view.guards.guards ?? [], matches(texts.value, query.value)));
  const rows = useComputed(() => withoutFolded(all.value, query.value === "" ? folded.value : new Set()));
  const reveal = store.reveal.value;
  const [opened] = useState(reveal.tick);
  if (guards.length === 0) {
    return <Empty title="No guards"><WhyNone>Guards are the conditions under which compiled code holds. Nothing was compiled here, so there are none.</WhyNone></Empty>;
  }
  const placeOf = (is: (index: number) => boolean): number => rows.value.findIndex((row) => row.kind === "guard" && is(row.index));
  const asked = placeOf((index) => guardEntity(index) === reveal.entity);
  // whoever comes for the guard that failed has it in sight, until something else is asked for
  const shown = asked < 0 && reveal.tick === opened ? placeOf((index) => guards[index].failed !== "") : asked;
  const rowClass = (i: number): string => {
    const row = rows.value[i];
    if (row.kind === "source") return "dl-row-head";
    const vertex = kin.vertex("guard", row.index);
    const state = `${store.lit.value?.[vertex] ? " is-lit" : ""}${store.held.value?.[vertex] ? " is-held" : ""}`;
    return `dl-row-guard${state}${guards[row.index].failed || failing(guards[row.index], tried.value) ? " is-failing" : ""}`;
  };
  const entity = (i: number): string => {
    const row = rows.value[i];
    return row?.kind === "guard" ? guardEntity(row.index) : "";
  };
  const sources = all.value.flatMap((row) => (row.kind === "source" ? [row.source] : []));
  const toggle = (source: string): void => {
    const next = new Set(folded.value);
    if (!next.delete(source)) next.add(source);
    folded.value = next;
  };
  const choose = (i: number): void => {
    const row = rows.value[i];
    if (row.kind === "source") toggle(row.source);
  };
  return (
    <>
      <WouldPassBox answer={tried} />
      <div class="dl-toolbar">
        <SearchBox query={query} label="Search guards" placeholder={"value, kind, expression, line"} />
        <span class="dl-dim">{plural(sources.length, "value")}</span>
        <button type="button" class="dl-button" onClick={() => (folded.value = folded.value.size > 0 ? new Set() : new Set(sources))}>
          {folded.value.size > 0 ? "Unfold all" : "Fold all"}
        </button>
      </div>
      {rows.value.length === 0
        ? <Empty title="No guard matches">Each word must occur in the value, its kind, its expression or its line.</Empty>
        : <VirtualList
            label="Guards" count={rows.value.length} row={24} entity={entity} rowClass={rowClass}
            renderRow={(i) => <GuardRow row={rows.value[i]} guards={guards} folded={folded.value} />} onChoose={choose}
            show={{ index: shown, tick: reveal.tick }}
          />}
    </>
  );
}

const BODIES = { recompiles: Recompiles, guards: Explorer, costs: GuardCosts, shapes: Symbols };

export function Guards() {
  const { mode: chosen } = usePart(guardsState);
  const { view } = useModel();
  const counts: Readonly<Record<GuardMode, readonly [string, number]>> = {
    recompiles: [view.guards.refusals.length > 0 ? "Compiled again, or refused" : "Compiled again", view.guards.recompiles.length + view.guards.refusals.length],
    guards: ["Guards", view.guards.guards.length],
    costs: ["Time", view.guards.costs.length],
    shapes: ["Shapes", view.shapes.symbols.length],
  };
  const mode = chosen.value ?? (counts.recompiles[1] > 0 ? "recompiles" : "guards");
  const Body = BODIES[mode];
  return (
    <>
      <div class="dl-toolbar">
        <div class="dl-segments" role="group" aria-label="What to show">
          {GUARD_MODES.map((one) => (
            <button key={one} type="button" aria-pressed={one === mode} onClick={() => (chosen.value = one)}>
              {counts[one][0]} <span class="dl-count">{counts[one][1]}</span>
            </button>
          ))}
        </div>
      </div>
      <Body />
    </>
  );
}
