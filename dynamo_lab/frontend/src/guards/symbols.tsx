// The sizes that compiled code leaves open, and what pinned others down.
import { useEffect, useRef } from "preact/hooks";
import { useModel, useStore } from "../core/context";
import { parseEntity, symbolEntity } from "../core/entities";
import type { FactView, SymbolView } from "../core/types.generated";
import { withoutFolders } from "../core/words";
import { Badge, CompileId, Empty, Fold, Go, Prose } from "../ui/bits";

function Where({ at }: { at: { entity: string; where: string } }) {
  if (!at.where) return <span class="dl-dim">by the backend</span>;
  return <Go to={at.entity} title={at.where}>{withoutFolders(at.where)}</Go>;
}

function Pinned({ fact }: { fact: FactView }) {
  return (
    <li class={fact.event === "violation" ? "dl-pinned-bad" : ""}>
      <Prose text={fact.text} /> {(fact.where || fact.event === "constant") && <Where at={fact} />}
      {fact.line && <pre class="dl-quote">{fact.line}</pre>}
      {fact.expression && <span class="dl-dim">as it had to know whether <code>{fact.expression}</code></span>}
    </li>
  );
}

const facts = (symbol: SymbolView): string[] => [
  symbol.is_backed ? `was ${symbol.hint} in the call that was compiled` : "known only at run time",
  symbol.value ? "" : `may be ${symbol.range}`,
  symbol.stands_for.length > 1 ? "one symbol for all, as they were equal" : "",
].filter((text) => text !== "");

function Symbol({ symbol, index }: { symbol: SymbolView; index: number }) {
  const store = useStore();
  const { kin } = useModel();
  const vertex = kin.vertex("symbol", index);
  const state = `${store.lit.value?.[vertex] ? " is-lit" : ""}${store.held.value?.[vertex] ? " is-held" : ""}`;
  return (
    <article class={`dl-card dl-card-small dl-symbol${symbol.value ? " is-pinned-down" : ""}${state}`} data-entity={symbolEntity(index)}>
      <header>
        <h3><code>{symbol.name}</code>{symbol.value && <> = <code>{symbol.value}</code></>} <span class="dl-symbol-for">{symbol.stands_for.join(", ")}</span></h3>
        {symbol.value ? <Badge tone="warning">{Number.isNaN(Number(symbol.value)) ? "tied" : "specialized"}</Badge> : <Badge tone="good">dynamic</Badge>}
        <span class="dl-dim">compilation <CompileId id={symbol.compile_id} /></span>
      </header>
      <p class="dl-dim">{facts(symbol).join(" \u00b7 ")} {symbol.where && <>{"\u00b7"} first used on <Where at={symbol} /></>}</p>
      {symbol.pinned.length > 0 && <ul class="dl-pinned">{symbol.pinned.map((fact, i) => <Pinned key={i} fact={fact} />)}</ul>}
      {symbol.asked.length > 0 && (
        <Fold label={`${symbol.asked.length === 1 ? "1 condition" : `${symbol.asked.length} conditions`} on it`}>
          <ul class="dl-plain">
            {symbol.asked.map((fact, i) => <li key={i}><code>{fact.expression}</code> <span class="dl-dim">{fact.event === "assert" ? "checked at run time" : "guard"}</span> <Where at={fact} /></li>)}
          </ul>
        </Fold>
      )}
    </article>
  );
}

export function Symbols() {
  const store = useStore();
  const { shapes } = useModel().view;
  const list = useRef<HTMLDivElement>(null);
  const reveal = store.reveal.value;
  useEffect(() => {
    const shown = parseEntity(reveal.entity);
    if (shown?.kind !== "symbol") return;
    list.current?.querySelector(`[data-entity="${symbolEntity(shown.a)}"]`)?.scrollIntoView({ block: "nearest" });
  }, [reveal.tick]);
  if (shapes.symbols.length === 0 && shapes.others.length === 0) {
    return <Empty title="All sizes are constants">The code was compiled for exactly these sizes. A second size, or <code>dynamic=True</code>, makes symbols of them.</Empty>;
  }
  return (
    <div class="dl-scroll dl-cards" ref={list}>
      {shapes.symbols.map((symbol, i) => <Symbol key={i} symbol={symbol} index={i} />)}
      {shapes.others.length > 0 && <ul class="dl-pinned">{shapes.others.map((fact, i) => <Pinned key={i} fact={fact} />)}</ul>}
    </div>
  );
}
