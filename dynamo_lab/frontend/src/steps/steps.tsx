// The steps of the analysis: one instruction at a time, forwards and back.
import type { ComponentChildren } from "preact";
import { Code } from "../code/code";
import { useModel, usePart, useStore } from "../core/context";
import { nodeEntity } from "../core/entities";
import { ADDED_NODE, CALL, type EventRow, INSTRUCTION, type NodeRow, type Stop, type Symbolic } from "../core/types.generated";
import { grouped, plural } from "../core/words";
import { Empty, Prose } from "../ui/bits";
import { VirtualList, type VirtualListProps } from "../ui/virtual-list";
import { guardTexts, isInner, isThere, type Playback } from "./playback";
import { playbackOf, stepsState } from "./state";

/** Pixels, as the style sheet has them. */
const ROW = 19;

function usePlayback(): { playback: Playback; step: number } {
  const { playback: played, step: at } = usePart(stepsState);
  const [playback, step] = [played.value, at.value];
  if (!playback) throw new Error("drawn without steps");
  return { playback, step };
}

const BUTTONS: readonly (readonly [Stop, 1 | -1, string, string])[] = [
  ["break", -1, "\u2190 break", "Previous break (B)"],
  ["over", -1, "\u2190 over", "Back over a call (O)"],
  ["step", -1, "\u2190", "Step back (\u2190)"],
  ["step", 1, "\u2192", "Step (\u2192)"],
  ["over", 1, "over \u2192", "Over a call (o)"],
  ["out", 1, "out \u2192", "Out of the call (u)"],
  ["node", 1, "node \u2192", "Next node of the graph (n, back with N)"],
  ["guard", 1, "guard \u2192", "Next guard (g, back with G)"],
  ["break", 1, "break \u2192", "Next break (b)"],
  ["attempt", 1, "analysis \u2192", "Next analysis (a, back with A)"],
];

function Transport() {
  const { playback, step } = usePlayback();
  const store = useStore();
  return (
    <div class="dl-transport" role="toolbar" aria-label="Play">
      {BUTTONS.map(([stop, by, label, title]) => (
        <button
          key={title} type="button" class="dl-button" title={title} aria-label={title}
          disabled={playback.move(step, stop, by) === step} onClick={() => stepsState(store).move(stop, by)}
        >
          {label}
        </button>
      ))}
    </div>
  );
}

const percent = (part: number, whole: number): string => `${(100 * part) / Math.max(1, whole)}%`;

/** The slider over all steps: a segment an analysis, in the colour of its graph, a tick a break. */
function Slider() {
  const { playback, step } = usePlayback();
  const store = useStore();
  const { colour } = useModel();
  const { takes, events } = playback.view;
  return (
    <div class="dl-scrub">
      <div class="dl-scrub-takes" aria-hidden="true">
        {takes.map((take, i) => (
          <span
            key={i} title={take.title} class={`dl-take dl-take-${take.outcome} ${colour(take.graph ?? -1)}`}
            style={{ left: percent(take.first, playback.count), width: percent(take.end - take.first, playback.count) }}
          />
        ))}
        {events.filter(([, kind]) => kind === "break" || kind === "restart").map(([at, kind], i) => (
          <span key={i} class={`dl-tick dl-tick-${kind}`} style={{ left: percent(at + 0.5, playback.count) }} />
        ))}
      </div>
      <input
        type="range" min={0} max={playback.count - 1} value={step} aria-label="Step" aria-valuetext={`step ${step + 1} of ${playback.count}`}
        onInput={(event) => stepsState(store).play(Number(event.currentTarget.value))}
      />
    </div>
  );
}

/** The functions that the step lies in, each a way back to where it was called. */
function Chain() {
  const { playback, step } = usePlayback();
  const store = useStore();
  const chain = playback.chain(step);
  const name = (call: number): string => playback.view.codes[playback.view.calls[call][CALL.code]].name;
  return (
    <span class="dl-chain">
      <strong>{playback.take(step).title}</strong>
      {chain.slice(1).map((call) => (
        <span key={call}>
          {" \u203a "}
          <button type="button" class="dl-link" title="Back to the call" onClick={() => stepsState(store).play(playback.view.calls[call][CALL.step])}>{name(call)}</button>
        </span>
      ))}
    </span>
  );
}

const TONES: Readonly<Record<string, string>> = { break: "warning", restart: "warning", raise: "bad", compile: "good" };

function Told({ event: [, kind, text, entity] }: { event: EventRow }) {
  const shown = <Prose text={text} plain={entity !== ""} />;
  return <span class={`dl-told dl-tone-${TONES[kind] ?? "plain"}`}>{entity ? <button type="button" class="dl-link" data-go={entity}>{shown}</button> : shown}</span>;
}

/** What the step did besides moving values, in words. */
function Deed() {
  const { playback, step } = usePlayback();
  const into = playback.goesInto(step);
  const take = playback.take(step);
  const events = playback.events(step);
  const isLast = step === take.end - 1 && !events.some(([, , text]) => text === take.ending);
  return (
    <p class="dl-deed" aria-live="polite">
      <span class="dl-dim">step {grouped(step + 1)} of {grouped(playback.count)}</span>
      <Chain />
      {into >= 0 && <span class="dl-told">It goes into <code>{playback.view.codes[playback.view.calls[into][CALL.code]].name}()</code>.</span>}
      {events.map((event, i) => <Told key={i} event={event} />)}
      {isLast && <span class="dl-told"><Prose text={take.ending} /></span>}
      {step === playback.count - 1 && playback.view.cut && <span class="dl-told dl-tone-warning"><Prose text={playback.view.cut} /></span>}
    </p>
  );
}

function Pane({ title, help, children, class: name }: { title: ComponentChildren; help: string; children: ComponentChildren; class: string }) {
  return (
    <section class={`dl-pane ${name}`}>
      <h3 title={help}>{title}</h3>
      {children}
    </section>
  );
}

function Bytecode() {
  const { playback, step } = usePlayback();
  const store = useStore();
  const { name, where, instructions } = playback.view.codes[playback.codeOf(step)];
  const current = playback.instruction(step);
  const row = (at: number) => {
    const [, opname, argument, line, , , , isTarget] = instructions[at];
    const isNew = line > 0 && line !== (instructions[at - 1]?.[INSTRUCTION.line] ?? -1);
    return (
      <>
        <span class="dl-row-number">{isNew ? line : ""}</span>
        <span class="dl-jump" title={isTarget ? "a jump leads here" : undefined}>{isTarget ? "\u00bb" : ""}</span>
        <span class="dl-op">{opname}</span>
        <span class="dl-args">{argument}</span>
      </>
    );
  };
  return (
    <Pane class="dl-pane-code" title={<>bytecode <span class="dl-dim">{name}, {where}</span></>} help="What Python would run: Dynamo reads it one instruction at a time">
      <VirtualList
        label="Bytecode" class="dl-rows" count={instructions.length} row={ROW} current={current} show={{ index: current, tick: step }} isCentred
        entity={() => ""} rowClass={(at) => `dl-instruction${at === current ? " is-current" : ""}`} renderRow={row}
        onChoose={(at) => stepsState(store).play(playback.stepOf(at, step))}
      />
    </Pane>
  );
}

const Nothing = ({ children }: { children: ComponentChildren }) => <div class="dl-rows"><span class="dl-dim">{children}</span></div>;

function Value({ name, value, isNew, inner }: { name?: string; value: Symbolic; isNew?: boolean; inner?: boolean }) {
  const { playback } = usePlayback();
  const [kind, text, source, row] = value;
  const word = playback.view.kinds[kind] ?? kind;
  const [, graph, node] = playback.view.nodes[row] ?? [null, -1, -1];
  return (
    <div class={`dl-known${isNew ? " is-new" : ""}${inner ? " is-inner" : ""}`} data-entity={node >= 0 ? nodeEntity(graph, node) : undefined}>
      {name !== undefined && <span class="dl-name">{name}</span>}
      <span class="dl-value">{text || word}</span>
      {text && <span class="dl-dim" title={kind}>{word}</span>}
      {source && <span class="dl-dim dl-source" title={`where it comes from: ${source}`}>{source}</span>}
    </div>
  );
}

function Knowledge() {
  const { playback, step } = usePlayback();
  const stack = playback.stack(step);
  const locals = playback.locals(step);
  const own = locals.filter(({ name }) => !isInner(name));
  const inner = locals.filter(({ name }) => isInner(name));
  return (
    <>
      <Pane class="dl-pane-stack" title={<>stack <span class="dl-dim">top first</span></>} help="What the instructions work on: Dynamo holds a description in place of each value">
        <div class="dl-rows" tabIndex={0}>
          {stack.map((value, i) => <Value key={stack.length - i} value={value} />)}
          {stack.length === 0 && <span class="dl-dim">empty</span>}
        </div>
      </Pane>
      <Pane class="dl-pane-locals" title="local variables" help="The variables of the current function, as Dynamo knows them">
        <div class="dl-rows" tabIndex={0}>
          {own.map(({ name, value, isNew }) => <Value key={name} name={name} value={value} isNew={isNew} />)}
          {own.length === 0 && <span class="dl-dim">none</span>}
          {inner.map(({ name, value }) => <Value key={name} name={name} value={value} inner />)}
        </div>
      </Pane>
    </>
  );
}

function Added({ row: [[, name, , text, value, depth]], isLost }: { row: NodeRow; isLost: boolean }) {
  return (
    <>
      <span class="dl-name" style={{ paddingInlineStart: `${14 * depth}px` }} title={isLost ? "Nothing used it, so it was dropped before the graph was compiled" : undefined}>{name}</span>
      {value && <span class="dl-value">{value}</span>}
      <span class="dl-args" title={text}>{text}</span>
    </>
  );
}

/** Rows up to now, the last of them in sight. */
function SoFar({ label, count, ...rows }: Pick<VirtualListProps, "label" | "count" | "entity" | "rowClass" | "renderRow">) {
  const { step } = usePlayback();
  return <VirtualList label={label} class="dl-rows" count={count} row={ROW} current={-1} show={{ index: count - 1, tick: step }} {...rows} />;
}

function Graph() {
  const { playback, step } = usePlayback();
  const { first, end } = playback.nodes(step);
  const there = playback.view.nodes.slice(first, end).filter((row) => isThere(row, step));
  const isCompiled = playback.take(step).graph !== null;
  const isLost = ([added, , node]: NodeRow): boolean => isCompiled && added[ADDED_NODE.depth] === 0 && node < 0;
  return (
    <Pane class="dl-pane-graph" title={<>graph <span class="dl-dim">{plural(there.length, "node")} so far</span></>} help="What Dynamo has captured in this analysis; new nodes are lit">
      {there.length === 0 ? <Nothing>nothing yet</Nothing> : (
        <SoFar
          label="Nodes so far" count={there.length} entity={(i) => (there[i][2] >= 0 ? nodeEntity(there[i][1], there[i][2]) : "")}
          rowClass={(i) => `dl-known${there[i][0][ADDED_NODE.step] === step ? " is-new" : ""}${isLost(there[i]) ? " is-inner" : ""}`}
          renderRow={(i) => <Added row={there[i]} isLost={isLost(there[i])} />}
        />
      )}
    </Pane>
  );
}

function Guards() {
  const { playback, step } = usePlayback();
  const { first, end } = playback.guards(step);
  const all = playback.view.guards.slice(first, end);
  const newest = all.findIndex(([at]) => at === step);
  const old = guardTexts(newest < 0 ? all : all.slice(0, newest));
  const texts = [...old, ...guardTexts(newest < 0 ? [] : all.slice(newest))];
  return (
    <Pane class="dl-pane-guards" title={<>guards <span class="dl-dim">{grouped(all.length)} so far</span></>} help="What must hold for the compiled code to be used again; new ones are lit">
      {texts.length === 0 ? <Nothing>none yet</Nothing> : (
        <SoFar
          label="Guards so far" count={texts.length} entity={() => ""} rowClass={(i) => `dl-known${i >= old.length ? " is-new" : ""}`}
          renderRow={(i) => <span class="dl-args" title={texts[i]}>{texts[i]}</span>}
        />
      )}
    </Pane>
  );
}

export function Steps() {
  const model = useModel();
  const { isCodeShown, isCodeHidden } = useStore();
  if (!playbackOf(model)) {
    return <Empty title="No steps">Run the cell with <code>%%compile --steps</code> to record each instruction that Dynamo interprets.</Empty>;
  }
  // the steps are played on the code: where the pane beside the tabs is not shown, it stands here, and no tab moves
  const isOwn = !isCodeShown.value && !isCodeHidden.value && model.view.sources.length > 0;
  return (
    <div class="dl-steps">
      <Transport />
      <Slider />
      <Deed />
      <div class={`dl-panes${isOwn ? " has-code" : ""}`}>
        {isOwn && <section class="dl-pane dl-pane-source" aria-label="Your code"><Code /></section>}
        <Bytecode />
        <Knowledge />
        <Graph />
        <Guards />
      </div>
    </div>
  );
}
