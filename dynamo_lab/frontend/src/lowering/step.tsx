// One operator: what became of it, the function that lowered it, and its lines in the loops it ended in.
import { useSignal } from "@preact/signals";
import { useModel, useStore } from "../core/context";
import { nodeEntity } from "../core/entities";
import type { LoweringStep, LoweringsView } from "../core/types.generated";
import { indicesOf } from "../graphs/graph-index";
import { NodeCall } from "../graphs/node-row";
import { Badge, Empty, Go, Prose, Where } from "../ui/bits";
import { BufferCard } from "./buffer-card";
import { buffersOf, countedSteps, itemEntity, nextStep, OUTCOME_TEXTS, OUTCOME_TONES, type StepItem } from "./items";
import { loweringState } from "./state";

function Stepper({ items, at }: { items: readonly StepItem[]; at: number }) {
  const store = useStore();
  const counted = countedSteps(items);
  const go = (by: 1 | -1): void => void (loweringState(store).operator.value = itemEntity(items[nextStep(items, at, by)]));
  return (
    <span class="dl-kin">
      <button type="button" class="dl-icon" aria-label="Previous operator" title="Previous (\u2190)" onClick={() => go(-1)}>{"\u2190"}</button>
      <span role="status">operator {counted[at]} of {counted[items.length - 1]}</span>
      <button type="button" class="dl-icon" aria-label="Next operator" title="Next (\u2192)" onClick={() => go(1)}>{"\u2192"}</button>
    </span>
  );
}

interface StepProps {
  readonly step: LoweringStep;
  readonly graph: number;
  readonly items: readonly StepItem[];
  readonly at: number;
  readonly found: LoweringsView;
}

function Facts({ step, graph }: { step: LoweringStep; graph: number }) {
  const index = indicesOf(useModel())(graph);
  return (
    <div class="dl-pass-facts">
      {index && <p class="dl-lowered-call"><NodeCall index={index} node={step.node} /></p>}
      <p><Prose text={step.sentence} />{OUTCOME_TEXTS[step.outcome] && <span class="dl-dim"> <i>{step.outcome}</i>: {OUTCOME_TEXTS[step.outcome].charAt(0).toLowerCase() + OUTCOME_TEXTS[step.outcome].slice(1)}</span>}</p>
      <p class="dl-pass-aside">
        {step.rule && <span><span class="dl-dim">lowered by</span> <code title={step.place}>{step.rule}</code> <span class="dl-dim">{step.place}</span></span>}
        {step.entity ? <Go to={step.entity}>{step.where}</Go> : step.where && <span class="dl-dim"><Where text={step.where} /></span>}
        <Go to={nodeEntity(graph, step.node)}>show in Graphs</Go>
      </p>
    </div>
  );
}

export function LoweringStepDetail({ step, graph, items, at, found }: StepProps) {
  const chosen = useSignal(0);
  const buffers = buffersOf(found, step);
  const shown = buffers[chosen.value] ?? buffers[0];
  return (
    <>
      <div class="dl-toolbar dl-kernel-head">
        <b class="dl-pass-heading dl-ellipsis">{step.name}</b>
        <span title={OUTCOME_TEXTS[step.outcome]}><Badge tone={OUTCOME_TONES[step.outcome] ?? "grey"}>{step.outcome}</Badge></span>
        <span class="dl-space" />
        <Stepper items={items} at={at} />
      </div>
      <Facts step={step} graph={graph} />
      {buffers.length > 1 && (
        <div class="dl-toolbar dl-lowered-buffers">
          <span class="dl-dim">in</span>
          <div class="dl-segments" role="group" aria-label="Buffers that compute it">
            {buffers.map((buffer, i) => <button key={buffer.id} type="button" aria-pressed={buffer === shown} onClick={() => (chosen.value = i)}>{buffer.name}</button>)}
          </div>
        </div>
      )}
      {shown ? <BufferCard key={shown.id} buffer={shown} node={step.node} told={step.sentence} /> : <Empty title="No loop of its own">{OUTCOME_TEXTS[step.outcome]}</Empty>}
    </>
  );
}
