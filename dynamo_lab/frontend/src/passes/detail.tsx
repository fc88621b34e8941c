// One pass: what it is for, the patterns that matched in it, and its diff.
import { useSignal } from "@preact/signals";
import { useModel, useStore } from "../core/context";
import { graphEntity, lineEntity, parseEntity } from "../core/entities";
import { DIFF_LINE, type DiffLine, type PassView, type PatternView, type PipelineView } from "../core/types.generated";
import { seconds } from "../core/words";
import { indicesOf } from "../graphs/graph-index";
import { Empty, Fold, Go, Prose } from "../ui/bits";
import { Call } from "../ui/call";
import { Differing } from "../ui/differing";
import { VirtualList } from "../ui/virtual-list";
import { DIFF_MODES, type DiffItem, diffItems, isRewrite } from "./items";
import { passesState } from "./state";

const NAMES = { diff: "Diff", before: "Before", after: "After" } as const;

/** Previous and next, as in a debugger, and where we are. */
function Stepper({ pass }: { pass: PassView }) {
  const store = useStore();
  const { passes } = useModel().view.passes;
  const rewrites = passes.filter(isRewrite);
  const at = rewrites.findIndex((one) => one.id === pass.id);
  const where = at >= 0 ? `${at + 1} of ${rewrites.length}` : `${rewrites.length} in all`;
  return (
    <span class="dl-kin">
      <button type="button" class="dl-icon" aria-label="Previous rewrite" title="Previous (\u2190)" disabled={rewrites.length === 0} onClick={() => passesState(store).step(-1)}>{"\u2190"}</button>
      <span role="status">{where}</span>
      <button type="button" class="dl-icon" aria-label="Next rewrite" title="Next (\u2192)" disabled={rewrites.length === 0} onClick={() => passesState(store).step(1)}>{"\u2192"}</button>
    </span>
  );
}

function Origin({ pipeline }: { pipeline: PipelineView }) {
  const graph = (id: number | null, text: string) => (id === null ? <>{text}</> : <Go to={graphEntity(id)}>{text}</Go>);
  const starts = pipeline.before.startsWith("what ") ? null : pipeline.graph;
  return (
    <span class="dl-dim">
      {pipeline.title}
      {pipeline.before && <>, from {graph(starts, pipeline.before)}</>}
      {pipeline.after && <> to {graph(pipeline.became, pipeline.after)}</>}
    </span>
  );
}

function Facts({ pass, pipeline }: { pass: PassView; pipeline: PipelineView }) {
  return (
    <div class="dl-pass-facts">
      {pass.error && <p class="dl-gone dl-wrap">{pass.error}</p>}
      {pass.sentence && <p><Prose text={pass.sentence} /></p>}
      {pass.costs.length > 0 && <p class="dl-pass-aside">{pass.costs.map(({ name, text }) => <span key={name}>{name} <b>{text}</b></span>)}</p>}
      <p class="dl-pass-aside">
        <Origin pipeline={pipeline} />
        {pass.kind !== "between" && <span class="dl-dim">{seconds(pass.seconds)}</span>}
        {pass.place && (pass.entity ? <Go to={pass.entity}>{pass.place}</Go> : <code class="dl-dim">{pass.place}</code>)}
      </p>
      {pass.alone.map((text) => <p key={text} class="dl-dim"><Prose text={text} /></p>)}
    </div>
  );
}

function Code({ label, text }: { label: string; text: string }) {
  if (!text) return null;
  return <><div class="dl-dim">{label}</div><pre class="dl-quote">{text}</pre></>;
}

/** What was looked for, and what is put in its place. */
function Pattern({ pattern }: { pattern: PatternView }) {
  const [looked, put] = pattern.kind === "replacement" ? ["looked for", "put in its place"] : pattern.kind === "fusion" ? ["which nodes", "how they become one"] : ["handler", ""];
  return (
    <div class="dl-pass-pattern">
      <p><Prose text={pattern.sentence} /> {pattern.entity ? <Go to={pattern.entity}>{pattern.place}</Go> : <code class="dl-dim">{pattern.place}</code>}</p>
      <Code label="looked for" text={pattern.expression} />
      <Code label={looked} text={pattern.source} />
      <Code label={put} text={pattern.replacement} />
    </div>
  );
}

const ROW = 24;
const MOST_ROWS = 5;

function Matches({ pass, chosen, choose }: { pass: PassView; chosen: number; choose(index: number): void }) {
  const { patterns } = useModel().view.passes;
  const shown = pass.matches[chosen];
  if (pass.matches.length === 0) return null;
  return (
    <div class="dl-pass-matches">
      <div style={{ height: `${Math.min(MOST_ROWS, pass.matches.length) * ROW}px`, display: "flex" }}>
        <VirtualList
          label="Matches" count={pass.matches.length} row={ROW} entity={() => ""} current={chosen} onChoose={(i) => choose(i === chosen ? -1 : i)}
          rowClass={(i) => `dl-row-match${i === chosen ? " is-current" : ""}`}
          renderRow={(i) => (
            <>
              <b>{patterns[pass.matches[i].pattern].name}</b>
              <span class="dl-dim dl-ellipsis">{pass.matches[i].summary}</span>
            </>
          )}
        />
      </div>
      {shown && (
        <div class="dl-pass-match">
          <Fold label="the pattern"><Pattern pattern={patterns[shown.pattern]} /></Fold>
          <Fold label={`the nodes: ${shown.summary}`}>
            <div class="dl-pass-lines">{shown.lines.map((line, i) => <div key={i} class={lineClass(line)} data-entity={line[DIFF_LINE.entity] || undefined}><Line line={line} other={null} /></div>)}</div>
          </Fold>
        </div>
      )}
    </div>
  );
}

const TONES: Readonly<Record<string, string>> = { "-": " is-gone", "+": " is-new" };
const lineClass = (line: DiffLine): string => `dl-row dl-row-diff${TONES[line[DIFF_LINE.sign]] ?? ""}`;

function Line({ line, other }: { line: DiffLine; other: DiffLine | null }) {
  const model = useModel();
  const [sign, name, op, target, args, value, entity, note] = line;
  const node = parseEntity(entity);
  const index = node ? indicesOf(model)(node.a) : null;
  const home = node && index ? index.home[node.b] : null;
  return (
    <>
      <span class="dl-diff-sign">{sign === "-" ? "\u2212" : sign}</span>
      <span class="dl-cell-main" title={`${name} = ${target}(${args}): ${value}`}>
        {op === "output" ? <span class="dl-keyword">return </span> : entity ? <Go to={entity} title="show it in Graphs" inRow>{name}</Go> : <span class="dl-name">{name}</span>}
        {op !== "output" && value && <span class="dl-value">: {value}</span>}
        {op !== "output" && <span class="dl-dim"> = </span>}
        <Call op={op} target={target} args={args} drawn={other && other[DIFF_LINE.arguments] !== args ? <Differing text={args} other={other[DIFF_LINE.arguments]} /> : undefined} />
      </span>
      {note && <span class="dl-diff-note dl-dim">{note}</span>}
      <span class="dl-cell-line">{home && index && node && <Go to={lineEntity(home[0], home[1])} inRow>{index.shortLine(node.b)}</Go>}</span>
    </>
  );
}

function Diff({ items, match }: { items: readonly DiffItem[]; match: number }) {
  const store = useStore();
  const { kin } = useModel();
  const lit = store.lit.value;
  const held = store.held.value;
  const state = (entity: string): string => {
    const vertices = entity && (lit || held) ? kin.resolve(entity) : [];
    return `${vertices.some((v) => lit?.[v]) ? " is-lit" : ""}${vertices.some((v) => held?.[v]) ? " is-held" : ""}`;
  };
  const rowClass = (i: number): string => {
    const item = items[i];
    if ("skipped" in item) return "dl-row-skipped";
    return `${lineClass(item.line)}${item.line[DIFF_LINE.match] === match && match >= 0 ? " is-match" : ""}${state(item.line[DIFF_LINE.entity])}`;
  };
  return (
    <VirtualList
      label="What changed" class="dl-diff" count={items.length} row={22} rowClass={rowClass}
      entity={(i) => { const item = items[i]; return item && "line" in item ? item.line[DIFF_LINE.entity] : ""; }}
      renderRow={(i) => { const item = items[i]; return "skipped" in item ? <>{"\u22ee"} {item.skipped}</> : <Line line={item.line} other={item.other} />; }}
    />
  );
}

function Modes() {
  const store = useStore();
  return (
    <div class="dl-segments" role="group" aria-label="What to show of the graph">
      {DIFF_MODES.map((mode) => (
        <button key={mode} type="button" aria-pressed={passesState(store).diffMode.value === mode} onClick={() => (passesState(store).diffMode.value = mode)}>{NAMES[mode]}</button>
      ))}
    </div>
  );
}

const UNCHANGED: Readonly<Record<PassView["state"], string>> = {
  did: "What its matches made was gone again at its end.",
  idle: "It looked at the graph and found nothing to do.",
  off: "The pass is switched off.",
  failed: "The pass failed before it changed anything.",
};

export function PassDetail({ pass, pipeline }: { pass: PassView; pipeline: PipelineView }) {
  const store = useStore();
  const match = useSignal(pass.matches.length === 1 ? 0 : -1);
  const items = diffItems(pass, passesState(store).diffMode.value);
  return (
    <>
      <div class="dl-toolbar dl-kernel-head">
        <b class="dl-pass-heading dl-ellipsis" title={pass.name}>{pass.title}</b>
        {!pass.error && <span class="dl-dim dl-ellipsis">{pass.summary}</span>}
        <span class="dl-space" />
        <Stepper pass={pass} />
        {items.length > 0 && <Modes />}
      </div>
      <Facts pass={pass} pipeline={pipeline} />
      <Matches pass={pass} chosen={match.value} choose={(index) => (match.value = index)} />
      {items.length > 0 ? <Diff items={items} match={match.value} /> : <Empty title="The graph stayed as it was">{UNCHANGED[pass.state]}</Empty>}
    </>
  );
}
