// What each operator became: operators at the left, the trees of the chosen one at the right.
import { useComputed, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useModel, usePart, useStore } from "../core/context";
import { kernelEntity, operatorEntity } from "../core/entities";
import { matches } from "../core/search";
import type { DecompositionsView, OperatorView, StayView } from "../core/types.generated";
import { grouped, plural } from "../core/words";
import { Empty, Fold, Go } from "../ui/bits";
import { SearchBox } from "../ui/search-box";
import { VirtualList } from "../ui/virtual-list";
import { decompositionsState } from "./state";
import { OperatorTrees } from "./trees";


/** Operators before and after; the three sets are the switch that says how far down the trees go. */
function Levels({ found }: { found: DecompositionsView }) {
  const { set } = usePart(decompositionsState);
  const before = found.counts.slice(0, found.counts.length - found.sets.length);
  const sets = found.counts.slice(before.length);
  return (
    <div class="dl-levels">
      {before.map((level) => (
        <span key={level.title} class="dl-level" title={`${plural(level.kinds, "kind")} of operators`}>
          <b>{grouped(level.operators)}</b> <span class="dl-dim">{level.title}</span> <span class="dl-dim" aria-hidden="true">{"\u2192"}</span>
        </span>
      ))}
      <div class="dl-segments" role="group" aria-label="Decompose operators to">
        {sets.map((level, i) => (
          <button key={level.title} type="button" aria-pressed={set.value === i} title={`Decompose operators to ${level.title}: ${grouped(level.operators)} operators of ${plural(level.kinds, "kind")}`} onClick={() => (set.value = i)}>
            <b>{grouped(level.operators)}</b> {level.title}
          </button>
        ))}
      </div>
    </div>
  );
}

function Stays({ label, rows }: { label: string; rows: readonly StayView[] }) {
  if (rows.length === 0) return null;
  return (
    <Fold label={`${label} (${rows.length})`}>
      <ul class="dl-plain dl-stays">
        {rows.map((row, i) => (
          <li key={i}>
            <code>{row.operator}</code> {row.times > 1 && <span class="dl-dim">{"\u00d7"} {grouped(row.times)}</span>} {row.why}{" "}
            {row.kernels.slice(0, 3).map((id) => <Go key={id} to={kernelEntity(id)}>kernel {id}</Go>)}
          </li>
        ))}
      </ul>
    </Fold>
  );
}

function Row({ item, found, set }: { item: OperatorView; found: DecompositionsView; set: number }) {
  const rule = found.trees.rules[item.rule];
  const became = item.became[set];
  return (
    <>
      <span class="dl-kernel-name" title={item.operator}>{item.operator}</span>
      <span class="dl-became" title={`${plural(item.times, "call")}, ${plural(became, "operator")} at this set`}>
        {grouped(item.times)}{became !== item.times && <> {"\u2192"} <b>{grouped(became)}</b></>}
      </span>
      <span class="dl-kernel-sub" title={rule ? `${rule.name}  ${rule.where}` : undefined}>{rule ? `by ${rule.name} in this run` : "as it is in this run"}</span>
    </>
  );
}

export function Decompositions() {
  const store = useStore();
  const { view } = useModel();
  const found = view.decompositions;
  const query = useSignal("");
  const jump = useSignal({ index: -1, tick: 0 });
  const texts = useComputed(() => (store.model.value?.view.decompositions.operators ?? []).map((item) => item.operator.toLowerCase()));
  const vertices = useComputed(() => texts.value.map((_, i) => store.model.value?.kin.resolve(operatorEntity(i)) ?? [])).value;
  const shown = useComputed(() => matches(texts.value, query.value) ?? texts.value.map((_, i) => i)).value;
  const chosen = found.operators[decompositionsState(store).operator.value] ? decompositionsState(store).operator.value : 0;
  const at = shown.indexOf(chosen);
  const reveal = store.reveal.value;
  useEffect(() => {
    jump.value = { index: at, tick: jump.value.tick + 1 };
  }, [reveal.tick]);
  if (found.operators.length === 0) return <Empty title="No decompositions">{found.empty}</Empty>;
  const touches = (index: number, mask: Uint8Array | null): boolean => mask !== null && vertices[index].some((vertex) => mask[vertex] === 1);
  const rowClass = (row: number): string => {
    const index = shown[row];
    return `dl-row-kernel${index === chosen ? " is-current" : ""}${touches(index, store.lit.value) ? " is-lit" : ""}${touches(index, store.held.value) ? " is-held" : ""}`;
  };
  return (
    <div class="dl-decompositions">
      <Levels found={found} />
      <div class="dl-stay-bar">
        <Stays label="Extern kernels" rows={found.extern} />
        <Stays label="Without a rule" rows={found.no_rule} />
      </div>
      <div class="dl-kernels">
        <div class="dl-kernel-side">
          <div class="dl-toolbar"><SearchBox query={query} label="Search operators" placeholder="operator" /></div>
          <VirtualList
            label="Operators" class="dl-kernel-list" count={shown.length} row={46} current={at} show={jump.value}
            entity={(row) => operatorEntity(shown[row])} rowClass={rowClass} onChoose={(row) => (decompositionsState(store).operator.value = shown[row])}
            renderRow={(row) => <Row item={found.operators[shown[row]]} found={found} set={decompositionsState(store).set.value} />}
          />
        </div>
        <OperatorTrees key={`${chosen}:${decompositionsState(store).set.value}`} found={found} index={chosen} set={decompositionsState(store).set.value} />
      </div>
    </div>
  );
}
