// Your code: one colour a compiled region, grey what runs eager, a sign at each break.
import { effect, useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { useModel, useStore } from "../core/context";
import { expressionEntity, lineEntity, parseEntity } from "../core/entities";
import type { Model } from "../core/model";
import type { Store } from "../core/state";
import { LINE, type SourceView } from "../core/types.generated";
import { expressionsOn } from "../journey/code";
import { stepsState } from "../steps/state";
import { Empty } from "../ui/bits";
import { CopyButton } from "../ui/copy/copy";
import { Editor } from "../ui/editor";
import { type LineMap, lineTimes, mapLines, type Position, signs, stepDressing } from "./dressing";
import { DrawnSource } from "./in-sight";
import { fileToShow, lineToShow } from "./showing";
import { codeState } from "./state";

const STATES: Readonly<Record<string, string>> = {
  compiled: "compiled", eager: "runs eager", skipped: "skipped", failed: "failed", compiling: "compiling\u2026",
};

function chosenSource(model: Model, file: number | null): SourceView | undefined {
  return (file === null ? undefined : model.sources.get(file)) ?? model.view.sources[model.view.main_source] ?? model.view.sources[0];
}

function Switcher({ shown }: { shown: SourceView }) {
  const store = useStore();
  const { sources } = useModel().view;
  if (sources.length < 2) return <span class="dl-file" title={shown.path}>{shown.label}</span>;
  const option = (source: SourceView) => (
    <option key={source.id} value={source.id} title={source.path}>{source.label}</option>
  );
  const yours = sources.filter((source) => source.kind !== "library");
  const library = sources.filter((source) => source.kind === "library");
  return (
    <select
      class="dl-select dl-file" aria-label="Source file" title={shown.path} value={shown.id}
      onChange={(event) => (codeState(store).file.value = Number(event.currentTarget.value))}
    >
      {yours.length > 0 && <optgroup label="your code">{yours.map(option)}</optgroup>}
      {library.length > 0 && <optgroup label="libraries">{library.map(option)}</optgroup>}
    </select>
  );
}

function Legend({ source }: { source: SourceView }) {
  const { expressions, graphs } = useModel().view;
  const hasExpressions = expressions.shown.some(([of]) => of === source.id);
  const isCaptured = graphs.some(({ stage }) => stage === "dynamo");
  const states = new Set(source.lines.map((line) => line[LINE.state]));
  const present = Object.keys(STATES).filter((state) => states.has(state as keyof typeof STATES & ""));
  return (
    <div class="dl-legend" role="group" aria-label="Legend">
      {present.map((state) => <span key={state} class={`dl-key dl-key-${state}`}>{STATES[state]}</span>)}
      {source.marks.some((mark) => mark.kind === "break") && <span class="dl-key dl-key-break">graph break</span>}
      {hasExpressions && <span class="dl-key dl-key-expression" title="A click on it selects it alone; a click beside it selects the line. Keys: up and down for lines, left and right for what is in them.">call or operator: click it</span>}
      {source.marks.some((mark) => mark.kind === "specialised") && <span class="dl-key dl-key-specialised">size specialized</span>}
      {expressions.shown.length === 0 && isCaptured && <span class="dl-dim" title="Python 3.10, torch.export, PyTorch's own logs and older recordings tell the line of an operation and not its columns">a click selects a whole line: columns are not known</span>}
    </div>
  );
}

/** A line that is chosen is lit as a whole, and not each expression in it. */
const isLine = (entity: string): boolean => parseEntity(entity)?.kind === "line";

function nextLinked(model: Model, source: SourceView, from: number, step: 1 | -1): number {
  for (let i = from + step; i >= 1 && i <= source.lines.length; i += step) {
    if (model.kin.linked(model.kin.vertex("line", source.id, source.lines[i - 1][LINE.number]))) return i;
  }
  return from;
}

interface StepPlace extends Position {
  readonly source: number;
}

/** Where the steps stand, while they are shown; null for no line of a source. */
function stepPlace(store: Store): StepPlace | null {
  const { playback: played, step: at } = stepsState(store);
  const playback = played.value;
  if (!playback || store.tab.value !== "steps") return null;
  const step = at.value;
  const code = playback.view.codes[playback.codeOf(step)];
  const [, , , line, column, end_line, end_column] = code.instructions[playback.instruction(step)];
  return line > 0 ? { source: code.source, line, column, end_line, end_column } : null;
}

interface PaneProps {
  readonly source: SourceView;
  readonly model: Model;
  readonly store: Store;
}

function Pane({ source, model, store }: PaneProps) {
  const parent = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | null>(null);
  const map = useRef<LineMap | null>(null);
  const cursor = useSignal(0);
  /** The expression of the cursor's line that the keyboard is at; empty for the line. */
  const part = useRef("");

  // The editor lives as long as its text: a newer view of the same text only changes what is
  // drawn over it, and the reader's scroll stays.
  const text = source.lines.map((line) => `${line[LINE.number]} ${line[LINE.text]}`).join("\n");
  useLayoutEffect(() => {
    if (!parent.current) return;
    const lines = mapLines(source);
    const made = new Editor(parent.current, {
      text: lines.text, language: "python", label: `Code of ${source.label}`, number: lines.number, signs: true,
    });
    editor.current = made;
    map.current = lines;
    cursor.value = 0;
    const first = lines.docLine(source.marks[0]?.line ?? source.lines.find((line) => line[LINE.state] !== "")?.[LINE.number] ?? -1);
    if (first > 6) made.showLine(first, "start");
    return () => made.destroy();
  }, [source.id, text]);

  useLayoutEffect(() => {
    if (!editor.current || !map.current) return;
    const { doc } = editor.current.view.state;
    const lines = map.current;
    const drawn = new DrawnSource(source, lines, doc, model);
    editor.current.dress({
      base: drawn.base, signs: signs(source, lines, doc), times: lineTimes(model.view.bench?.kernels.lines ?? [], source, lines, doc),
    });
    return effect(() => {
      const masks = { lit: store.lit.value, held: store.held.value };
      const parts = { lit: isLine(store.hover.value) ? null : masks.lit, held: isLine(store.pin.value) ? null : masks.held };
      editor.current?.dress({ lit: drawn.lit(masks, parts, cursor.value) });
    });
  }, [model, source, text]);

  useEffect(() => effect(() => {
    const { entity } = store.reveal.value;
    const line = entity ? lineToShow(model, source, entity, model.kin.kin(model.kin.resolve(entity))) : -1;
    if (line > 0) editor.current?.showLine(map.current?.docLine(line) ?? -1);
  }), [model, source, text]);

  useEffect(() => effect(() => {
    if (!editor.current || !map.current) return;
    const place = stepPlace(store);
    const here = place?.source === source.id ? place : null;
    const { marks, part } = stepDressing(here, map.current, editor.current.view.state.doc);
    editor.current.dressAt({ step: marks }, part);
  }), [model, source, text]);

  const number = (): number => map.current?.number(cursor.value) ?? -1;
  const move = (step: 1 | -1): void => {
    part.current = "";
    cursor.value = nextLinked(model, source, cursor.value || (step === 1 ? 0 : source.lines.length + 1), step);
    store.hover.value = lineEntity(source.id, number());
    editor.current?.showLine(cursor.value);
  };
  /** From expression to expression in the line; before the first and after the last is the line. */
  const moveWithin = (step: 1 | -1): boolean => {
    const places = ["", ...expressionsOn(model, source.id, number()).map(expressionEntity)];
    if (cursor.value === 0 || places.length === 1) return false;
    part.current = places.at((places.indexOf(part.current) + step) % places.length) ?? "";
    store.hover.value = part.current || lineEntity(source.id, number());
    return true;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "j" || event.key === "ArrowDown") move(1);
    else if (event.key === "k" || event.key === "ArrowUp") move(-1);
    else if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
      if (!moveWithin(event.key === "ArrowRight" ? 1 : -1)) return;
    } else if (event.key === "Enter" && cursor.value > 0) store.togglePin(part.current || lineEntity(source.id, number()));
    else return;
    event.preventDefault();
  };
  return <div class="dl-code" ref={parent} onKeyDownCapture={onKeyDown} />;
}

function withoutSource(model: Model): string {
  if (model.view.packages.length > 0) return "A package holds no source of the model that it was made of.";
  if (model.view.training) return "No line of your code is in this step: its modules are PyTorch's own.";
  return "The code that was compiled could not be read, so lines cannot be shown.";
}

export function Code() {
  const store = useStore();
  const model = useModel();
  const source = chosenSource(model, codeState(store).file.value);
  const reveal = store.reveal.value;
  useEffect(() => {
    const file = source && reveal.entity ? fileToShow(model, source, reveal.entity) : null;
    if (file !== null) codeState(store).file.value = file;
  }, [reveal.tick]);
  useEffect(() => effect(() => {
    const place = stepPlace(store);
    if (place && model.sources.get(place.source)) codeState(store).file.value = place.source;
  }), [model]);
  const main = model.view.sources[model.view.main_source];
  const isLibrary = source?.kind === "library";
  if (!source) return <Empty title="No source">{withoutSource(model)}</Empty>;
  return (
    <>
      <div class="dl-bar">
        <span class="dl-bar-title">{isLibrary ? "library code" : "your code"}</span>
        {isLibrary && main && main.kind !== "library" && (
          <button type="button" class="dl-button" onClick={() => (codeState(store).file.value = main.id)} title={`Back to ${main.label}`}>Your code</button>
        )}
        <Switcher shown={source} />
        <CopyButton text={() => source.lines.map((line) => line[LINE.text]).join("\n")} title="Copy this code" />
      </div>
      {source.notice !== "" && <p class="dl-notice" role="note">{source.notice}</p>}
      {(!source.is_wrapper || store.tab.value === "steps") && <><Pane key={source.id} source={source} model={model} store={store} /><Legend source={source} /></>}
    </>
  );
}
