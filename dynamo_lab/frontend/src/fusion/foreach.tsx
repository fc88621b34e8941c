// Lists of tensors that run side by side: each two that were considered, index by index.
import type { ForeachView, IndexView, ListsView } from "../core/types.generated";
import { Badge, Go, Prose } from "../ui/bits";
import { Table } from "../ui/copy/table";
import { OUTCOME_TONE } from "./names";
import { grouped } from "../core/words";

function Index({ item }: { item: IndexView }) {
  return (
    <tr>
      <td class="dl-dim">{item.index}</td>
      <td><Badge tone={OUTCOME_TONE[item.state] ?? "grey"}>{item.state}</Badge></td>
      <td><code>{item.one}</code> <span class="dl-dim">with</span> <code>{item.other}</code></td>
      <td class="dl-dim">{item.reads}</td>
      <td>{item.where && (item.entity ? <Go to={item.entity}>{item.where}</Go> : item.where)}</td>
    </tr>
  );
}

function Lists({ pair }: { pair: ListsView }) {
  return (
    <article class="dl-card">
      <header>
        <Badge tone={OUTCOME_TONE[pair.state] ?? "grey"}>{pair.state}</Badge>
        <h3><code>{pair.one}</code> with <code>{pair.other}</code></h3>
      </header>
      <p><Prose text={pair.sentence} /></p>
      {pair.indices.length > 0 && (
        <Table class="dl-attention-kernels"><tbody>{pair.indices.map((item) => <Index key={item.index} item={item} />)}</tbody></Table>
      )}
      {pair.left > 0 && <p class="dl-dim">… {grouped(pair.left)} more</p>}
    </article>
  );
}

export function Foreach({ foreach }: { foreach: ForeachView }) {
  return (
    <div class="dl-scroll dl-cards">
      {foreach.sentences.map((text) => <p key={text}><Prose text={text} /></p>)}
      {foreach.pairs.map((pair, i) => <Lists key={i} pair={pair} />)}
    </div>
  );
}
