// Why it compiled again: what changed, what the new code differs in, and how to stop it.
import { useModel } from "../core/context";
import type { CauseView, ChangesView, RecompileView, RefusalView, Remedy } from "../core/types.generated";
import { grouped, withoutFolders } from "../core/words";
import { Badge, CompileId, Empty, Fold, Go, Prose } from "../ui/bits";

const SIGNS: Readonly<Record<string, string>> = { "+": "new", "-": "gone", "~": "other" };

function Do({ remedy }: { remedy: Remedy }) {
  return (
    <li>
      <Prose text={remedy.text} />
      {remedy.code && <pre class="dl-quote dl-remedy">{remedy.code}</pre>}
    </li>
  );
}

function Cause({ cause }: { cause: CauseView }) {
  return (
    <div class="dl-cause">
      <p class="dl-cause-head">
        <strong><Prose text={cause.text} /></strong>
        {cause.where && <span>line that PyTorch names: <Go to={cause.entity} title={cause.where}>{withoutFolders(cause.where)}</Go></span>}
        {cause.guard && <Go to={cause.guard} title={cause.check}>the guard that failed</Go>}
        <span class="dl-dim" title={cause.check}>so {cause.earlier.join(", ")} could not be used</span>
      </p>
      {cause.remedies.length > 0 && <ul class="dl-advice">{cause.remedies.map((remedy, i) => <Do key={i} remedy={remedy} />)}</ul>}
    </div>
  );
}

function Changes({ changes, id }: { changes: ChangesView; id: string }) {
  return (
    <div class="dl-changes">
      <p class="dl-dim">What {id} differs in from {changes.against}</p>
      <ul class="dl-plain">
        {changes.symbols.map((text, i) => <li key={i}><Prose text={text} /></li>)}
        <li>graph: {changes.summary}</li>
        {changes.kernels && <li>{changes.kernels}</li>}
      </ul>
      {changes.graph.length > 0 && (
        <Fold label="what changed in the graph" open={changes.graph.length <= 8}>
          <div class="dl-diff">
            {changes.graph.map(([sign, text], i) => <code key={i} class={`dl-diff-${SIGNS[sign] ?? "other"}`}><b aria-label={SIGNS[sign]}>{sign}</b> {text}</code>)}
            {changes.left > 0 && <span class="dl-dim">{"\u2026"} {grouped(changes.left)} more</span>}
          </div>
        </Fold>
      )}
    </div>
  );
}

function Recompile({ item }: { item: RecompileView }) {
  return (
    <article class="dl-card dl-card-small" data-entity={`frame:${item.frame}`}>
      <header>
        <h3><Prose text={item.title} /></h3>
        <span class="dl-dim">compilation <CompileId id={item.compile_id} /></span>
        {item.limit_hit && <Badge tone="bad">limit reached</Badge>}
      </header>
      {item.causes.map((cause, i) => <Cause key={i} cause={cause} />)}
      {item.causes.length === 0 && (
        <ul class="dl-plain">
          {item.failures.map(([id, text], i) => <li key={i}><span class="dl-dim">{id}</span> <code>{text}</code></li>)}
        </ul>
      )}
      {item.advice && <p class="dl-advice-line"><Prose text={item.advice} /></p>}
      {item.changes && <Changes changes={item.changes} id={item.compile_id} />}
    </article>
  );
}

function Refusal({ item }: { item: RefusalView }) {
  return (
    <article class="dl-card dl-card-small" data-entity={`frame:${item.frame}`}>
      <header>
        <h3><Prose text={item.title} /></h3>
        {item.where && <span class="dl-dim">first at <Go to={item.entity} title={item.where}>{withoutFolders(item.where)}</Go></span>}
        {item.is_error && <Badge tone="bad">error</Badge>}
      </header>
      <p><Prose text={item.text} />{item.set_at && <> <Go to={item.set_entity} title={item.set_at}>where it was set</Go></>}</p>
      {item.reasons.length > 0 && <ul class="dl-plain">{item.reasons.map((text, i) => <li key={i}><Prose text={text} /></li>)}</ul>}
      <ul class="dl-advice">{item.remedies.map((remedy, i) => <Do key={i} remedy={remedy} />)}</ul>
    </article>
  );
}

export function Recompiles() {
  const { recompiles, refusals } = useModel().view.guards;
  if (recompiles.length + refusals.length === 0) return <Empty title="Nothing was compiled again">Each call passed the guards of code that was there, or there was one call only.</Empty>;
  return <div class="dl-scroll dl-cards">{refusals.map((item, i) => <Refusal key={`refused${i}`} item={item} />)}{recompiles.map((item, i) => <Recompile key={i} item={item} />)}</div>;
}
