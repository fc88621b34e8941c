// Attention: each call, what it became, and which kernel it is on which target and why not another.
import { useModel, useStore } from "../core/context";
import { parseEntity } from "../core/entities";
import type { AttentionView, ChoiceView, KernelChoiceView } from "../core/types.generated";
import { Badge, Empty, Go, Prose, WhyNone } from "../ui/bits";
import { Table } from "../ui/copy/table";

const SIGNS: Readonly<Record<string, readonly [string, string]>> = {
  runs: ["runs", "good"], could: ["later", "grey"], refused: ["no", "warning"], unknown: ["unknown", "plain"],
};

function Kernel({ verdict }: { verdict: KernelChoiceView }) {
  const [sign, tone] = SIGNS[verdict.state] ?? [verdict.state, "plain"];
  return (
    <tr>
      <td><Badge tone={tone}>{sign}</Badge></td>
      <td>{verdict.name}</td>
      <td class="dl-attention-why">
        {verdict.state !== "runs" && <Prose text={verdict.told} />} {verdict.check && <code class="dl-dim">{verdict.check}</code>}
        {verdict.remedy && <p><Prose text={verdict.remedy} /></p>}
      </td>
    </tr>
  );
}

function Choice({ choice }: { choice: ChoiceView }) {
  return (
    <section class="dl-attention-choice">
      <h4><code>{choice.target}</code> {choice.sentence} {choice.operator && <code class="dl-dim">{choice.operator}</code>}</h4>
      <Table class="dl-attention-kernels">
        <tbody>{choice.verdicts.map((verdict) => <Kernel key={verdict.kernel} verdict={verdict} />)}</tbody>
      </Table>
    </section>
  );
}

function Call({ call }: { call: AttentionView }) {
  const store = useStore();
  const { kin } = useModel();
  const node = parseEntity(call.node);
  const vertex = node ? kin.vertex("node", node.a, node.b) : -1;
  const state = `${store.lit.value?.[vertex] ? " is-lit" : ""}${store.held.value?.[vertex] ? " is-held" : ""}`;
  return (
    <article class={`dl-card dl-attention${state}`} data-entity={call.node}>
      <header>
        <h3>{call.line ? <Go to={call.line}>{call.where}</Go> : call.where || "no line"} {call.code && <code>{call.code}</code>}</h3>
        {call.differs && <Badge tone="warning">differs</Badge>}
        {call.module && <span class="dl-dim">in {call.module}</span>}
        <Go to={call.node}>node</Go>
      </header>
      {[call.origin, call.became].filter((text) => text !== "").map((text) => <p key={text}><Prose text={text} /></p>)}
      {call.facts.length > 0 && (
        <dl class="dl-package-facts">{call.facts.map(([label, value]) => [<dt key={label}>{label}</dt>, <dd key={`${label} value`}>{value}</dd>])}</dl>
      )}
      {call.choices.map((choice) => <Choice key={choice.target} choice={choice} />)}
    </article>
  );
}

export function Attention() {
  const { attentions } = useModel().view;
  if (attentions.length === 0) {
    return <Empty title="No attention"><WhyNone>No call of <code>scaled_dot_product_attention</code> was compiled.</WhyNone></Empty>;
  }
  return <div class="dl-scroll dl-cards">{attentions.map((call) => <Call key={call.node} call={call} />)}</div>;
}
