// Breaks as cards: where, why, what to do, and the graphs on both sides.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { useModel, useStore } from "../core/context";
import { breakEntity, frameEntity } from "../core/entities";
import type { BreakView, StoryView } from "../core/types.generated";
import { playbackOf, stepsState } from "../steps/state";
import { Badge, Empty, Fold, Go, Prose, WhyNone } from "../ui/bits";
import { CodeBlock } from "../ui/code-block";
import { Paragraphs } from "../ui/paragraphs";
import { Fixes } from "./fixes";
import { RunMap } from "./run-map";
import { Because, Story } from "./story";

/** The line's text with the columns that broke marked; indentation is dropped. */
export function splitAt(text: string, from: number, to: number): readonly [string, string, string] {
  const indent = text.length - text.trimStart().length;
  if (from < 0 || to <= from || from >= text.length) return ["", text.trim(), ""];
  return [text.slice(Math.min(indent, from), from), text.slice(from, to), text.slice(to).trimEnd()];
}

function BrokenLine({ item }: { item: BreakView }) {
  const [before, broken, after] = splitAt(item.text, item.column, item.end_column);
  return <pre class="dl-quote">{before}<span class="dl-mark dl-mark-break">{broken}</span>{after}</pre>;
}

/** Leads into the steps, to the one that broke. */
function ToSteps({ item }: { item: BreakView }) {
  const store = useStore();
  const step = playbackOf(useModel())?.stepOfBreak(breakEntity(item.id)) ?? -1;
  if (step < 0) return null;
  return <p><button type="button" class="dl-button" data-own onClick={() => stepsState(store).play(step)}>Show the steps to it</button></p>;
}

/** A recording may come from anyone: only web addresses become links. */
function Link({ to }: { to: string }) {
  if (!/^https?:\/\//i.test(to)) return <>{to}</>;
  return <a href={to} target="_blank" rel="noopener noreferrer">{to}</a>;
}

function Details({ item }: { item: BreakView }) {
  return (
    <Fold label="Details">
      <dl class="dl-facts">
        {item.context && <><dt>context</dt><dd><pre class="dl-wrap">{item.context}</pre></dd></>}
        {item.registry_id && <><dt>registry</dt><dd>{item.registry_id}</dd></>}
        {item.link && <><dt>documentation</dt><dd><Link to={item.link} /></dd></>}
        {item.stack.length > 0 && (
          <>
            <dt>stack</dt>
            <dd class="dl-stack">
              {item.stack.map((line, i) => (
                <div key={i}><Go to={line.entity}>{line.label}</Go> <span class="dl-dim">in {line.function}</span> <code>{line.text.trim()}</code></div>
              ))}
            </dd>
          </>
        )}
      </dl>
    </Fold>
  );
}

function Example({ item }: { item: BreakView }) {
  const open = useSignal(false); // an editor is made for what is looked at
  if (!item.example) return null;
  return (
    <details class="dl-fold" data-own onToggle={(event) => (open.value = event.currentTarget.open)}>
      <summary>Example: before and after</summary>
      {open.value && (
        <div class="dl-example">
          <figure><figcaption>breaks</figcaption><CodeBlock text={item.example.before} language="python" label="Example that breaks" /></figure>
          <figure><figcaption>does not</figcaption><CodeBlock text={item.example.after} language="python" label="Example without the break" /></figure>
        </div>
      )}
    </details>
  );
}

function Card({ item, number }: { item: BreakView; number: number }) {
  const store = useStore();
  const { kin, view } = useModel();
  const card = useRef<HTMLElement>(null);
  const entity = breakEntity(item.id);
  const vertex = kin.vertex("break", item.id);
  const reveal = store.reveal.value;
  useEffect(() => {
    const list = card.current?.closest(".dl-scroll");
    if (reveal.entity !== entity || !card.current || !list) return;
    // Not scrollIntoView: the notebook around us would jump, too.
    list.scrollTop += card.current.getBoundingClientRect().top - list.getBoundingClientRect().top;
  }, [reveal.tick]);
  const state = `${store.lit.value?.[vertex] ? " is-lit" : ""}${store.held.value?.[vertex] ? " is-held" : ""}`;
  const line = item.stack.at(-1)?.entity;
  const follows = (view.stories[item.id]?.cause ?? null) !== null;
  const frame = view.frames.find((one) => one.breaks.includes(item.id));
  return (
    <article class={`dl-card${state}`} data-entity={entity} ref={card} tabIndex={0} aria-label={`Break ${number}: ${item.title}`}>
      <header>
        <span class="dl-number">{number}</span>
        <h3><Prose text={item.heading} /></h3>
        <Badge tone={item.effect === "failed" ? "bad" : "warning"}>{item.effect}</Badge>
        {item.times > 1 && <span class="dl-dim" title="The number of compilations of the frame that broke here">{`\u00d7 ${item.times} compilations`}</span>}
      </header>
      <div class="dl-where">
        {line ? <Go to={line}>{item.where}</Go> : item.where}
        {item.frame && <span class="dl-dim"> in {frame ? <Go to={frameEntity(frame.id)}>{item.frame}</Go> : item.frame}</span>}
      </div>
      {item.text && <BrokenLine item={item} />}
      <Because item={item} />
      {!follows && item.reason && item.reason !== item.heading && !item.explanation.startsWith(item.reason) && (
        <p class="dl-reason"><Prose text={item.reason} /></p>
      )}
      {!follows && <Paragraphs text={item.explanation} />}
      {!follows && item.advice.length > 0 && (
        <ul class="dl-advice" aria-label="What to do">{item.advice.map((text, i) => <li key={i}><Prose text={text} /></li>)}</ul>
      )}
      <Story item={item} />
      <ToSteps item={item} />
      {!follows && <Fixes item={item} />}
      {!follows && <Example item={item} />}
      <Details item={item} />
    </article>
  );
}

/** Each cause before what follows from it, as `causes_first` in Python. */
function causesFirst(breaks: readonly BreakView[], stories: readonly StoryView[]): BreakView[] {
  const root = (item: BreakView): number => stories[item.id]?.cause ?? item.id;
  const follows = (item: BreakView): number => (root(item) === item.id ? 0 : 1);
  return [...breaks].sort((a, b) => root(a) - root(b) || follows(a) - follows(b) || a.id - b.id);
}

export function Breaks() {
  const { breaks, stories } = useModel().view;
  const store = useStore();
  if (breaks.length === 0) {
    return (
      <div class="dl-scroll dl-cards">
        <RunMap />
        <Empty title="No graph breaks"><WhyNone>Dynamo captured every frame it compiled in one piece, so no Python runs between graphs.</WhyNone></Empty>
      </div>
    );
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const onCard = event.target instanceof HTMLElement && event.target.matches(".dl-card");
    const cards = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>(".dl-card")];
    const at = cards.findIndex((card) => card.contains(event.target as Node));
    if (event.key === "j" || event.key === "ArrowDown") cards[Math.min(cards.length - 1, at + 1)]?.focus();
    else if (event.key === "k" || event.key === "ArrowUp") cards[Math.max(0, at - 1)]?.focus();
    else if (event.key === "Enter" && onCard) store.togglePin((event.target as HTMLElement).dataset.entity ?? "");
    else return;
    event.preventDefault();
  };
  return (
    <div class="dl-scroll dl-cards" onKeyDown={onKeyDown}>
      <RunMap />
      {causesFirst(breaks, stories).map((item) => <Card key={item.id} item={item} number={item.id + 1} />)}
    </div>
  );
}
