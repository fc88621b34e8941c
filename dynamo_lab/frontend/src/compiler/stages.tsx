// The stages of one operator side by side: node, rule, loop, kernel, text. Hover one, and all light up.
import type { ComponentChildren } from "preact";
import { useModel, usePart, useStore } from "../core/context";
import { kernelEntity, nodeEntity } from "../core/entities";
import type { StageGraph, StageKernel, StageOperator, StageRule } from "../core/types.generated";
import { indicesOf } from "../graphs/graph-index";
import { NodeCall } from "../graphs/node-row";
import { Go, Prose } from "../ui/bits";
import { Box, type Change, Outcome } from "./change";
import { LANGUAGES } from "./items";
import { LoopPlan } from "./loops";
import { Pairs } from "./pairs";
import { StageText } from "./stage-text";
import { compilerState, type GraphChanges } from "./state";

interface PaneProps {
  readonly title: string;
  readonly aside?: ComponentChildren;
  readonly entity?: string;
  /** A row of its own; with `half`, in a wide view half of one. */
  readonly wide?: boolean;
  readonly half?: boolean;
  readonly children: ComponentChildren;
}

function Pane({ title, aside, entity, wide, half, children }: PaneProps) {
  return (
    <section class={`dl-stage${wide ? " is-wide" : ""}${half ? " is-half" : ""}`} aria-label={title}>
      <h3 class="dl-stage-head" data-entity={entity || undefined}><b>{title}</b> {aside}</h3>
      {children}
    </section>
  );
}

interface StagesProps {
  readonly graph: StageGraph;
  readonly operator: StageOperator;
  readonly changes: GraphChanges;
  readonly change?: Change;
}

export function Stages({ graph, operator, changes, change }: StagesProps) {
  const { source } = useStore();
  const rule = graph.rules[operator.rule];
  const kernels = operator.kernels.map((at) => graph.kernels[at]);
  const all = { graph, operator, changes, change };
  return (
    <div class="dl-stages">
      {change && <Outcome changes={changes} undo={() => void change({ what: "undo" })} stop={source.runs && (() => source.runs?.stop())} />}
      <div class="dl-stage-grid">
        <Node {...all} />
        <Rule {...all} rule={rule} />
        <Loops {...all} />
        <Fusion {...all} />
        {kernels.map((kernel) => <Kernel key={kernel.id} {...all} kernel={kernel} />)}
        {kernels.map((kernel) => <Text key={kernel.id} {...all} kernel={kernel} />)}
      </div>
    </div>
  );
}

function Node({ graph, operator }: StagesProps) {
  const index = indicesOf(useModel())(graph.graph);
  return (
    <Pane title="ATen node" entity={nodeEntity(graph.graph, operator.node)} aside={<Go to={nodeEntity(graph.graph, operator.node)}>{operator.name}</Go>}>
      <div class="dl-stage-node" data-entity={nodeEntity(graph.graph, operator.node)}>
        {index && <p class="dl-lowered-call"><NodeCall index={index} node={operator.node} /></p>}
        {operator.line && <pre class="dl-quote">{operator.line}</pre>}
        <p>{operator.entity ? <Go to={operator.entity}>{operator.where}</Go> : operator.where}</p>
        <p><Prose text={operator.sentence} /></p>
      </div>
    </Pane>
  );
}

function Rule({ graph, operator, changes, change, rule }: StagesProps & { rule: StageRule | undefined }) {
  const of = `rule ${operator.node}`;
  const draft = changes.draft(of);
  const entity = nodeEntity(graph.graph, operator.node);
  if (!rule) {
    const why = operator.outcome === "fallback" ? "ATen computes it: no rule lowers it, or its rule refused." : "No rule was needed.";
    return <Pane title="Rule" entity={entity}><p class="dl-stage-note dl-dim">{why}</p></Pane>;
  }
  const send = (text: string): void => void change?.({ what: "rule", node: operator.node, text }).then((found) => {
    if (found?.verdict === "right") draft.value = null;
  });
  const isOpen = change !== undefined && draft.value !== null;
  const aside = (
    <>
      <code title={rule.place}>{rule.place.replace(/^.*\/compiler\//, "")}</code>
      {change && !isOpen && rule.text && <button type="button" class="dl-button" data-own onClick={() => (draft.value = rule.text)}>Change</button>}
    </>
  );
  const lines = (rule.text || "Its source is not known.").split("\n").map((text): [string, number[]] => [text, []]);
  return (
    <Pane title="Rule" entity={entity} aside={aside}>
      {isOpen
        ? <Box key={of} of={of} draft={draft} original={rule.text} language="python" label={`Rule of ${operator.name}`} changes={changes} send={send} />
        : <div class="dl-stage-rule" data-entity={entity}><StageText graph={graph} lines={lines} language="python" label={`Rule of ${operator.name}`} node={operator.node} /></div>}
    </Pane>
  );
}

function Loops({ graph, operator }: StagesProps) {
  if (operator.loops.length === 0) return <Pane title="Loop IR"><p class="dl-stage-note dl-dim">No loop computes it.</p></Pane>;
  const lines = operator.loops.flatMap((at, i): [string, readonly number[]][] => {
    const loop = graph.loops[at];
    const own = loop.lines.map(([text, nodes]): [string, readonly number[]] => [`  ${text}`, nodes]);
    return [...(i > 0 ? [["", []] as [string, number[]]] : []), [loop.head, []], ...own];
  });
  const names = operator.loops.map((at) => graph.loops[at].buffer).join(", ");
  return <Pane title="Loop IR" aside={<span class="dl-dim dl-ellipsis">{names}</span>}><StageText graph={graph} lines={lines} language="" label={`Loops of ${operator.name}`} node={operator.node} /></Pane>;
}

function Fusion({ graph, operator, changes, change }: StagesProps) {
  const { fusions } = useModel().view;
  const schedule = changes.schedule.value ?? fusions.schedules.find((one) => one.graph === graph.graph && one.compiler === "lab");
  if (!schedule || operator.loops.length === 0) return null;
  const buffers = operator.loops.map((at) => graph.loops[at].buffer);
  return <Pane title="Fusion" half><Pairs schedule={schedule} buffers={buffers} busy={changes.busy.value} change={change} /></Pane>;
}

function Kernel({ graph, operator, changes, change, kernel }: StagesProps & { kernel: StageKernel }) {
  const isRecorded = useModel().view.compiler.graphs.includes(graph);
  const name = isRecorded ? <Go to={kernelEntity(kernel.id)}>{kernel.name}</Go> : <code>{kernel.name}</code>;
  const joined = kernel.buffers.length > 1 ? `joins ${kernel.buffers.join(", ")}` : `of ${kernel.buffers.join("")}`;
  const plan = changes.plan(kernel.name);
  const isOpen = change !== undefined && plan.value !== null;
  const aside = (
    <>
      {name} <span class="dl-dim dl-ellipsis" title={joined}>{joined}</span>
      {change && !isOpen && kernel.turns.length > 0 && <button type="button" class="dl-button" data-own title="Their order, tiles and unrolling" onClick={() => (plan.value = kernel.turns)}>Loops</button>}
    </>
  );
  return (
    <Pane title="Kernel" aside={aside} wide half>
      {isOpen && <LoopPlan kernel={kernel} plan={plan} changes={changes} change={change} />}
      <StageText graph={graph} lines={kernel.lines} language="" label={`Loop IR of ${kernel.name}`} node={operator.node} />
    </Pane>
  );
}

function Text({ graph, operator, changes, change, kernel }: StagesProps & { kernel: StageKernel }) {
  const { language } = usePart(compilerState);
  const shown = kernel.texts.find((one) => one.language === language.value) ?? kernel.texts[0];
  const runs = shown === kernel.texts[0];
  const of = `text ${kernel.name}`;
  const draft = changes.draft(of);
  const text = shown.lines.map(([line]) => line).join("\n");
  const isOpen = change !== undefined && runs && draft.value !== null;
  const send = (written: string): void => void change?.({ what: "text", kernel: kernel.name, text: written }).then((found) => {
    if (found?.verdict === "right") draft.value = null;
  });
  const aside = (
    <>
      <span class="dl-segments" role="group" aria-label="Language" data-own>
        {kernel.texts.map((one) => <button key={one.language} type="button" aria-pressed={one === shown} title={one.note} onClick={() => (language.value = one.language)}>{LANGUAGES[one.language] ?? one.language}</button>)}
      </span>
      {change && runs && !isOpen && <button type="button" class="dl-button" data-own onClick={() => (draft.value = text)}>Change</button>}
      {shown.note && <span class="dl-dim dl-ellipsis" title={shown.note}>{shown.note}</span>}
    </>
  );
  return (
    <Pane title="Text" aside={aside} wide>
      {isOpen
        ? <Box key={of} of={of} draft={draft} original={text} language={shown.language} label={`Text of ${kernel.name}`} changes={changes} send={send} />
        : shown.lines.length > 0 && <StageText graph={graph} lines={shown.lines} language={shown.language} label={`${kernel.name} in ${LANGUAGES[shown.language] ?? shown.language}`} node={operator.node} />}
    </Pane>
  );
}
