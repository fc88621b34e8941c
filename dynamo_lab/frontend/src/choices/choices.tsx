// Choices: what was chosen without a word, where, why, what came of it, and the view that has the rest.
import { useModel, useStore } from "../core/context";
import { parseEntity } from "../core/entities";
import type { Mask } from "../core/kin";
import { isTab } from "../core/tabs";
import type { ChoiceRow } from "../core/types.generated";
import { Badge, Empty, Go, GoTab, Prose, WhyNone } from "../ui/bits";

/** Whether one of the row's nodes, or its line, is lit or held. */
function useLit(row: ChoiceRow): string {
  const store = useStore();
  const { kin } = useModel();
  const vertices = row.nodes.map((name) => {
    const node = parseEntity(name);
    return node ? kin.vertex("node", node.a, node.b) : -1;
  });
  const isIn = (mask: Mask | null) => mask !== null && vertices.some((vertex) => mask[vertex]);
  return `${isIn(store.lit.value) ? " is-lit" : ""}${isIn(store.held.value) ? " is-held" : ""}`;
}

function Choice({ row }: { row: ChoiceRow }) {
  const state = useLit(row);
  return (
    <article class={`dl-card dl-choice${state}`} data-entity={row.nodes[0] || row.line || undefined}>
      <header>
        <Badge tone="plain">{row.kind}</Badge>
        <h3><Prose text={row.choice} />{row.count > 1 && ` × ${row.count}`}</h3>
        {row.tab && isTab(row.tab) && <GoTab tab={row.tab} />}
      </header>
      {row.where && <p>{row.line ? <Go to={row.line}>{row.where}</Go> : row.where} {row.code && <code>{row.code}</code>}</p>}
      <dl class="dl-package-facts">
        <dt>why</dt><dd><Prose text={row.reason} /></dd>
        {row.effect && <><dt>effect</dt><dd><Prose text={row.effect} /></dd></>}
        {row.remedy && <><dt>change</dt><dd><Prose text={row.remedy} /></dd></>}
      </dl>
    </article>
  );
}

export function Choices() {
  const { choices } = useModel().view;
  if (choices.length === 0) {
    return <Empty title="No choices"><WhyNone>Nothing is known to have been chosen in silence.</WhyNone></Empty>;
  }
  return <div class="dl-scroll dl-cards">{choices.map((row, at) => <Choice key={at} row={row} />)}</div>;
}
