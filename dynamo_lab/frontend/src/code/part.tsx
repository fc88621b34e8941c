// Your code, which stands beside the tabs: its lines are entities.
import { carryLine, carrySource, carryToLine } from "../core/carry";
import { type Entity, expressionEntity } from "../core/entities";
import type { Model } from "../core/model";
import type { Part, Selected } from "../core/state";
import { LINE } from "../core/types.generated";
import { KinFacts, KinGraphs } from "../selection/links";
import { Badge, outcomeTone } from "../ui/bits";
import { codeState } from "./state";

function Line({ model, entity, mask }: Selected) {
  const line = model.sources.line(entity.a, entity.b);
  const label = model.sources.label(entity.a, entity.b);
  return (
    <>
      <h3><Badge tone={outcomeTone(line?.[LINE.state] ?? "")}>{line?.[LINE.state] || "line"}</Badge> {label}</h3>
      {line && <pre class="dl-quote">{line[LINE.text].trim()}</pre>}
      <dl><KinFacts model={model} mask={mask} /><KinGraphs model={model} mask={mask} /></dl>
    </>
  );
}

function Expression({ model, entity, mask }: Selected) {
  const [source, line, , , , text] = model.view.expressions.shown[entity.a];
  return (
    <>
      <h3><Badge tone="plain">expression</Badge> {model.sources.label(source, line)}</h3>
      <pre class="dl-quote">{text}</pre>
      <dl><KinFacts model={model} mask={mask} /><KinGraphs model={model} mask={mask} /></dl>
    </>
  );
}

/** The same text on the same line of the same source; empty where that was not recorded. */
function carryExpression({ a }: Entity, from: Model, to: Model): string {
  const one = from.view.expressions.shown[a];
  const place = one ? carryLine([one[0], one[1]], from, to) : null;
  const found = place ? to.view.expressions.shown.findIndex(([source, line, , , , text]) => source === place[0] && line === place[1] && text === one[5]) : -1;
  return found < 0 ? "" : expressionEntity(found);
}

export const codePart: Part = {
  kinds: {
    expression: {
      Card: Expression,
      show: (store, { a }) => void (codeState(store).file.value = store.model.peek()?.view.expressions.shown[a]?.[0] ?? null),
      carry: carryExpression,
    },
    line: {
      Card: Line,
      show: (store, { a }) => void (codeState(store).file.value = a),
      carry: ({ a, b }, from, to) => carryToLine([a, b], from, to),
    },
  },
  follow: (store, from, to) => {
    const { file } = codeState(store);
    file.value = carrySource(file.peek(), from, to);
  },
};
