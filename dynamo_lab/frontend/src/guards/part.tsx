// The part of guards, and of the sizes that symbols stand for.
import type { Part, Selected } from "../core/state";
import { Fact, Links, OfFrame } from "../selection/links";
import { Badge, CompileId, Prose } from "../ui/bits";
import { Guards } from "./guards";
import { guardsState } from "./state";

function Guard({ model, entity }: Selected) {
  const guard = model.view.guards.guards[entity.a];
  if (!guard) return null;
  return (
    <>
      <h3><Badge tone="plain">{guard.kind}</Badge> <code>{guard.source}</code></h3>
      {guard.failed !== "" && <p class="dl-bad-text">{guard.failed}</p>}
      {guard.text !== "" && <p>{guard.text}</p>}
      {guard.expressions.map((text, i) => <pre key={i} class="dl-quote dl-wrap">{text}</pre>)}
      <dl>
        <Links label="asked for by" to={guard.entity ? [[guard.entity, guard.where]] : []} />
        <OfFrame model={model} id={guard.frame} />
        <Fact label="compilation"><CompileId id={guard.compile_id} /></Fact>
      </dl>
    </>
  );
}

function Symbol({ model, entity }: Selected) {
  const symbol = model.view.shapes.symbols[entity.a];
  if (!symbol) return null;
  return (
    <>
      <h3><Badge tone="plain">symbol</Badge> <code>{symbol.name}</code> <span class="dl-dim">in {symbol.frame}, compilation <CompileId id={symbol.compile_id} /></span></h3>
      {symbol.pinned.map((fact, i) => <p key={i}><Prose text={fact.text} /></p>)}
      <dl>
        {symbol.stands_for.length > 0 && <Fact label="stands for"><code>{symbol.stands_for.join(", ")}</code></Fact>}
        <Fact label="may be">{symbol.range}</Fact>
        <Links label="lines" to={[symbol, ...symbol.pinned].flatMap((at) => (at.entity ? [[at.entity, at.where] as const] : []))} />
      </dl>
    </>
  );
}

export const guardsPart: Part = {
  tab: "guards",
  Panel: Guards,
  kinds: {
    guard: { Card: Guard, show: (store) => void (guardsState(store).mode.value = "guards") },
    symbol: { Card: Symbol, show: (store) => void (guardsState(store).mode.value = "shapes") },
  },
  count: (view) => view.guards.guards.length,
  hasKin: ({ view, kin }, held) => view.guards.guards.some((_, i) => held[kin.vertex("guard", i)] === 1),
};
