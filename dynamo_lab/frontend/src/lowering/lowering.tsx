// Lowering: operators in the order in which Inductor lowered them, to step through; and what they made.
import { useComputed, useSignal } from "@preact/signals";
import { useCallback, useEffect } from "preact/hooks";
import { useModel, usePart, useStore } from "../core/context";
import { bufferEntity } from "../core/entities";
import type { BufferView, LoweringStep, LoweringView } from "../core/types.generated";
import { Badge, Empty, GoTab } from "../ui/bits";
import { SearchBox } from "../ui/search-box";
import { VirtualList } from "../ui/virtual-list";
import { BufferCard } from "./buffer-card";
import { bufferItems, foundItems, itemEntity, LOWERING_MODES, OUTCOME_TONES, plain, shownStep, type StepItem } from "./items";
import { OutcomeLegend } from "./legend";
import { LoweringOverview } from "./overview";
import { loweringState } from "./state";
import { LoweringStepDetail } from "./step";

function GraphRow({ lowering }: { lowering: LoweringView }) {
  const { colourOf } = useModel();
  return (
    <>
      <span class="dl-kernel-name"><i class={`dl-swatch ${colourOf(lowering.graph)}`} /> {lowering.title}</span>
      <span class="dl-kernel-sub">{lowering.summary}</span>
    </>
  );
}

function StepRow({ step }: { step: LoweringStep }) {
  return (
    <>
      <span class="dl-kernel-name" title={step.operator}>{step.name}</span>
      <Badge tone={OUTCOME_TONES[step.outcome] ?? "grey"}>{step.outcome}</Badge>
      <span class="dl-kernel-sub" title={plain(step.sentence)}>{plain(step.sentence)}</span>
    </>
  );
}

function BufferRow({ buffer }: { buffer: BufferView }) {
  return (
    <>
      <span class={`dl-kernel-name${buffer.dropped ? " dl-dim" : ""}`}>{buffer.name} <span class="dl-dim">{buffer.value}</span></span>
      <Badge tone={buffer.body.length > 0 ? "stored" : "called"}>{buffer.kind}</Badge>
      <span class="dl-kernel-sub" title={plain(buffer.why)}>{plain(buffer.why)}</span>
    </>
  );
}

function Modes() {
  const { mode: chosen } = usePart(loweringState);
  return (
    <div class="dl-segments" role="group" aria-label="What to show of the lowering">
      {LOWERING_MODES.map((mode) => (
        <button key={mode} type="button" aria-pressed={chosen.value === mode} onClick={() => (chosen.value = mode)}>{mode}</button>
      ))}
    </div>
  );
}

function Operators() {
  const store = useStore();
  const { view, kin } = useModel();
  const jump = useSignal({ index: -1, tick: 0 });
  const items = useComputed(() => (store.model.value ? foundItems(store.model.value.view.lowering, loweringState(store).query.value) : [])).value;
  const held = store.held.value;
  const isKin = (mask: Uint8Array | null, i: number): boolean => {
    const item = items[i];
    return mask !== null && "step" in item && mask[kin.vertex("node", item.graph, item.step.node)] === 1;
  };
  const at = shownStep(items, loweringState(store).operator.value);
  const tick = store.reveal.value.tick;
  useEffect(() => {
    jump.value = { index: at, tick: jump.value.tick + 1 };
  }, [at]);
  useEffect(() => {
    const first = items.findIndex((_, i) => isKin(held, i));
    if (first >= 0 && !isKin(held, at)) jump.value = { index: first, tick: jump.value.tick + 1 };
  }, [tick]);
  const shown: StepItem | undefined = items[at];
  const renderRow = useCallback((i: number) => {
    const item = items[i];
    return "step" in item ? <StepRow step={item.step} /> : <GraphRow lowering={item.lowering} />;
  }, [items]);
  const rowClass = (i: number): string =>
    "lowering" in items[i] ? "dl-row-kernel dl-row-lowering"
      : `dl-row-kernel${i === at ? " is-current" : ""}${isKin(store.lit.value, i) ? " is-lit" : ""}${isKin(held, i) ? " is-held" : ""}`;
  return (
    <div class="dl-kernels">
      <div class="dl-kernel-side">
        <div class="dl-toolbar"><SearchBox query={loweringState(store).query} label="Search operators" placeholder="operator, outcome, reason" /></div>
        <VirtualList
          label="Operators" class="dl-kernel-list" count={items.length} row={46} current={at} show={jump.value} rowClass={rowClass}
          entity={(i) => itemEntity(items[i])} onChoose={(i) => (loweringState(store).operator.value = itemEntity(items[i]) || loweringState(store).operator.value)}
          renderRow={renderRow}
        />
        <OutcomeLegend outcomes={view.lowering.lowerings.flatMap(({ counts }) => counts.map(([outcome]) => outcome))} />
      </div>
      <div class="dl-kernel-detail">
        {shown && "step" in shown
          ? <LoweringStepDetail key={itemEntity(shown)} step={shown.step} graph={shown.graph} items={items} at={at} found={view.lowering} />
          : <Empty title="No operator fits">Names, outcomes (inlined, realised, fallback) and reasons are searched.</Empty>}
      </div>
    </div>
  );
}

function Buffers() {
  const store = useStore();
  const { view, kin } = useModel();
  const jump = useSignal({ index: -1, tick: 0 });
  const { buffers } = view.lowering;
  const items = useComputed(() => (store.model.value ? bufferItems(store.model.value.view.lowering) : [])).value;
  const shown = buffers[loweringState(store).buffer.value] ?? buffers[0];
  const at = items.findIndex((item) => "buffer" in item && item.buffer === shown);
  useEffect(() => {
    jump.value = { index: at, tick: jump.value.tick + 1 };
  }, [at, store.reveal.value.tick]);
  const rowClass = (i: number): string => {
    const item = items[i];
    if ("lowering" in item) return "dl-row-kernel dl-row-lowering";
    const vertex = kin.vertex("buffer", item.buffer.id);
    return `dl-row-kernel${i === at ? " is-current" : ""}${store.lit.value?.[vertex] ? " is-lit" : ""}${store.held.value?.[vertex] ? " is-held" : ""}`;
  };
  if (buffers.length === 0) return <Empty title="No buffers">Nothing that was lowered had to be stored.</Empty>;
  return (
    <div class="dl-kernels">
      <div class="dl-kernel-side">
        <VirtualList
          label="Buffers" class="dl-kernel-list" count={items.length} row={46} current={at} show={jump.value} rowClass={rowClass}
          entity={(i) => { const item = items[i]; return item && "buffer" in item ? bufferEntity(item.buffer.id) : ""; }}
          onChoose={(i) => { const item = items[i]; if ("buffer" in item) loweringState(store).buffer.value = item.buffer.id; }}
          renderRow={(i) => { const item = items[i]; return "buffer" in item ? <BufferRow buffer={item.buffer} /> : <GraphRow lowering={item.lowering} />; }}
        />
        <OutcomeLegend outcomes={view.lowering.lowerings.flatMap(({ counts }) => counts.map(([outcome]) => outcome))} />
      </div>
      <div class="dl-kernel-detail"><BufferCard key={shown.id} buffer={shown} node={-1} told="" /></div>
    </div>
  );
}

export function Lowering() {
  const store = useStore();
  const { view } = useModel();
  const found = view.lowering;
  if (found.lowerings.length === 0) return <Empty title="No lowerings">{found.empty} See <GoTab tab={view.breaks.length > 0 ? "breaks" : "graphs"} />.</Empty>;
  const mode = loweringState(store).mode.value;
  return (
    <div class="dl-lowering">
      <div class="dl-toolbar dl-lowering-head"><Modes /><span class="dl-dim dl-ellipsis">{found.lowerings.length === 1 ? found.lowerings[0].summary : `${found.lowerings.length} graphs, ${found.buffers.length} buffers`}</span></div>
      {mode === "operators" ? <Operators /> : mode === "buffers" ? <Buffers /> : <LoweringOverview found={found} />}
    </div>
  );
}
