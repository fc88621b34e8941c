// A kernel's code, or a lower form of it: each line in the colour of the reader's line it is there for.
import { RangeSetBuilder } from "@codemirror/state";
import { Decoration, type DecorationSet, type EditorView } from "@codemirror/view";
import { effect } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { useModel, useStore } from "../core/context";
import { statementEntity } from "../core/entities";
import type { Mask } from "../core/kin";
import type { Model } from "../core/model";
import type { KernelView } from "../core/types.generated";
import { CopyButton } from "../ui/copy/copy";
import { Editor } from "../ui/editor";

type Doc = EditorView["state"]["doc"];

/** For a line of the text, the statement of the kernel that it belongs to, as a line of its code; 0 for none. */
type StatementOf = (line: number) => number;

function colours(doc: Doc, kernel: KernelView, of: StatementOf, model: Model): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  const hues = new Map(kernel.origins.map(([line, source, number]) => [line, model.hue([source, number])]));
  for (let line = 1; line <= doc.lines; line++) {
    const statement = of(line);
    if (statement === 0) continue;
    const hue = hues.get(statement) ?? -1;
    const attributes = { "data-entity": statementEntity(kernel.id, statement), ...(hue >= 0 && { style: `--dl-hue: ${hue}` }) };
    const { from } = doc.line(line);
    builder.add(from, from, Decoration.line({ class: hue >= 0 ? "dl-hued dl-tinted" : "dl-untied", attributes }));
  }
  return builder.finish();
}

/** The lines whose statement is in the mask. */
export function linesIn(count: number, kernel: number, of: StatementOf, { kin }: Pick<Model, "kin">, mask: Mask | null): number[] {
  const found: number[] = [];
  for (let line = 1; mask && line <= count; line++) {
    const vertex = of(line) === 0 ? -1 : kin.vertex("statement", kernel, of(line));
    if (vertex >= 0 && mask[vertex]) found.push(line);
  }
  return found;
}

/** Where the first lines that follow each other end, ten lines down at most. */
function endOfRun(lines: readonly number[]): number {
  const gap = lines.findIndex((line, i) => i > 0 && (line > lines[i - 1] + 1 || i === 10));
  return gap < 0 ? lines[lines.length - 1] : lines[gap - 1];
}

function kinDecorations(doc: Doc, lit: readonly number[], held: readonly number[]): DecorationSet {
  const classes = new Map<number, string>(lit.map((line) => [line, "is-lit"]));
  for (const line of held) classes.set(line, `${classes.get(line) ?? ""} is-held`.trim());
  const builder = new RangeSetBuilder<Decoration>();
  for (const [line, name] of [...classes].sort(([a], [b]) => a - b)) {
    const { from } = doc.line(line);
    builder.add(from, from, Decoration.line({ class: name }));
  }
  return builder.finish();
}

/** For a line of the kernel's code: itself where it is a statement. */
export function statementOf(kernel: KernelView): StatementOf {
  const lines = new Set(kernel.statements.map(([line]) => line));
  return (line) => (lines.has(line) ? line : 0);
}

/** For a line of a lower form, through its pairs (line of the form, line of the kernel). */
export function statementBelow(kernel: KernelView, pairs: readonly number[]): StatementOf {
  const lines = new Map<number, number>();
  const own = statementOf(kernel);
  for (let i = 0; i + 1 < pairs.length; i += 2) lines.set(pairs[i], own(pairs[i + 1]));
  return (line) => lines.get(line) ?? 0;
}

interface LinkedCodeProps {
  readonly kernel: KernelView;
  readonly text: string;
  readonly language: string;
  readonly label: string;
  readonly of: StatementOf;
  /** The line to begin with. */
  readonly first: number;
}

export function LinkedCode({ kernel, text, language, label, of, first }: LinkedCodeProps) {
  const store = useStore();
  const model = useModel();
  const parent = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | null>(null);
  const isOwn = useRef(false); // what the reader clicks here is in sight already
  useLayoutEffect(() => {
    if (!parent.current) return;
    const made = new Editor(parent.current, { text, language, label });
    editor.current = made;
    if (first > 1) made.showLine(first, "start");
    return () => made.destroy();
  }, [text, language]);
  useLayoutEffect(() => {
    const shown = editor.current;
    if (!shown) return;
    const { doc } = shown.view.state;
    shown.dress({ base: colours(doc, kernel, of, model) });
    const linesOf = (mask: Mask | null): number[] => linesIn(doc.lines, kernel.id, of, model, mask);
    const stopLighting = effect(() => shown.dress({ lit: kinDecorations(doc, linesOf(store.lit.value), linesOf(store.held.value)) }));
    const tied = new Set(kernel.origins.map(([line]) => line)); // what serves many lines, as a loop's head, can wait
    let frame = 0;
    const stopShowing = effect(() => {
      const all = linesOf(store.held.value);
      const own = all.filter((line) => tied.has(of(line)));
      const lines = own.length > 0 ? own : all;
      cancelAnimationFrame(frame);
      if (lines.length > 0 && !isOwn.current) {
        // Once the selection panel has its size.
        frame = requestAnimationFrame(() => shown.showPart(doc.line(lines[0]).from, doc.line(endOfRun(lines)).from));
      }
      isOwn.current = false;
    });
    return () => {
      cancelAnimationFrame(frame);
      stopLighting();
      stopShowing();
    };
  }, [text, language, model, kernel, of]);
  return (
    <div class="dl-code-block">
      <div class="dl-code-host" ref={parent} onPointerDown={() => (isOwn.current = true)} />
      <CopyButton text={text} title="Copy this code" />
    </div>
  );
}

export function KernelCode({ kernel }: { kernel: KernelView }) {
  const first = kernel.statements[0]?.[0] ?? 1;
  const of = useMemo(() => statementOf(kernel), [kernel]);
  return <LinkedCode kernel={kernel} text={kernel.code} language={kernel.language} label={`Code of ${kernel.name}`} of={of} first={Math.max(1, first - 3)} />;
}
