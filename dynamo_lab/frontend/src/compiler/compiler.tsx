// The backend lab: its operators as a list, and the stages of the chosen one.
import { useComputed, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { OtherCompiler } from "../compare/other-compiler";
import { useModel, usePart, useStore } from "../core/context";
import { nodeEntity } from "../core/entities";
import type { StageOperator } from "../core/types.generated";
import { OUTCOME_TEXTS, OUTCOME_TONES } from "../lowering/items";
import { OutcomeLegend } from "../lowering/legend";
import { Badge, Empty } from "../ui/bits";
import { SearchBox } from "../ui/search-box";
import { VirtualList } from "../ui/virtual-list";
import type { Change } from "./change";
import { itemEntity, operatorItems, shownItem } from "./items";
import { Stages } from "./stages";
import { compilerState } from "./state";

function Row({ operator }: { operator: StageOperator }) {
  return (
    <>
      <span class="dl-kernel-name" title={operator.operator}>{operator.name}</span>
      <span title={OUTCOME_TEXTS[operator.outcome]}><Badge tone={OUTCOME_TONES[operator.outcome] ?? "grey"}>{operator.outcome}</Badge></span>
      <span class="dl-kernel-sub">{operator.where}</span>
    </>
  );
}

export function Compiler() {
  const store = useStore();
  const { view, kin, colourOf } = useModel();
  const { operator: chosen, query, changes: changesOf } = usePart(compilerState);
  const jump = useSignal({ index: -1, tick: 0 });
  const items = useComputed(() => (store.model.value ? operatorItems(store.model.value.view.compiler, query.value) : [])).value;
  const at = shownItem(items, chosen.value);
  const item = items[at];
  const held = store.held.value;
  const isKin = (mask: Uint8Array | null, i: number): boolean => {
    const { graph, operator } = items[i];
    return mask !== null && operator !== undefined && mask[kin.vertex("node", graph.graph, operator.node)] === 1;
  };
  useEffect(() => {
    jump.value = { index: at, tick: jump.value.tick + 1 };
  }, [at]);
  useEffect(() => {
    const first = items.findIndex((_, i) => isKin(held, i));
    if (first >= 0 && !isKin(held, at)) chosen.value = itemEntity(items[first]);
  }, [store.reveal.value.tick]);
  if (view.compiler.graphs.length === 0) return <Empty title="Nothing of the backend lab">{view.compiler.empty}</Empty>;
  const rowClass = (i: number): string =>
    items[i].operator ? `dl-row-kernel${i === at ? " is-current" : ""}${isKin(store.lit.value, i) ? " is-lit" : ""}${isKin(held, i) ? " is-held" : ""}` : "dl-row-kernel dl-row-lowering";
  const label = store.source.recordings.shown.value?.label ?? "";
  const changes = item ? changesOf(label, item.graph.graph) : null;
  const graph = changes?.now.value ?? item?.graph;
  const operator = graph?.operators.find((one) => one.node === item?.operator?.node) ?? item?.operator;
  const { ask, runs } = store.source;
  const change: Change | undefined = ask && changes && item && runs?.ready.value ? (asked) => changes.change(ask, label, item.graph.graph, asked) : undefined;
  return (
    <div class="dl-kernels dl-compiler">
      <div class="dl-kernel-side">
        <div class="dl-toolbar"><SearchBox query={query} label="Search operators" placeholder="operator, outcome, line" /><OtherCompiler /></div>
        <VirtualList
          label="Operators" class="dl-kernel-list" count={items.length} row={46} current={at} show={jump.value} rowClass={rowClass}
          entity={(i) => itemEntity(items[i])} onChoose={(i) => (chosen.value = itemEntity(items[i]) || chosen.value)}
          renderRow={(i) => {
            const { graph: of, operator: one } = items[i];
            return one ? <Row operator={one} /> : <><span class="dl-kernel-name"><i class={`dl-swatch ${colourOf(of.graph)}`} /> {of.title}</span><span class="dl-kernel-sub">{of.summary}</span></>;
          }}
        />
        <OutcomeLegend outcomes={view.compiler.graphs.flatMap((of) => of.operators.map((one) => one.outcome))} />
      </div>
      <div class="dl-kernel-detail">
        {graph && operator && changes
          ? <Stages key={nodeEntity(graph.graph, operator.node)} graph={graph} operator={operator} changes={changes} change={change} />
          : <Empty title="No operator fits">Names, outcomes and lines are searched.</Empty>}
      </div>
    </div>
  );
}
