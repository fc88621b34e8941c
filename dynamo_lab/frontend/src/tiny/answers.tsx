// What a reader wants to know of a planned step first: whether it fits, what is largest, what the passes won.
import type { TrainingPlanView } from "../core/types.generated";
import { Row, Seen } from "../findings/findings";
import { Bars, Legend } from "./picture";

export function Answers({ plan }: { plan: TrainingPlanView }) {
  return (
    <div class="dl-training-answers">
      <Bars plan={plan} />
      <Legend />
      <dl class="dl-finding-facts">
        {plan.answers.map(({ name, facts }) => (
          <Row key={name} name={name}><ul class="dl-finding-evidence">{facts.map((item, i) => <li key={i}><Seen item={item} /></li>)}</ul></Row>
        ))}
      </dl>
    </div>
  );
}
