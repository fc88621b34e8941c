// Your code, which stands beside the tabs: its lines are entities.
import { carrySource, carryToLine } from "../core/carry";
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

export const codePart: Part = {
  kinds: {
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
