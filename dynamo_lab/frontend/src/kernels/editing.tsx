// Change a kernel's code where it stands: the live kernel builds, checks and times it, and says what is wrong at its line.
import { useComputed, useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Diff } from "../compare/diff";
import { rowsOf } from "../compare/pairs";
import { useModel, useStore } from "../core/context";
import type { EditingProps } from "../core/source";
import type { Diagnostic, EditView, KernelView } from "../core/types.generated";
import { Busy } from "../ui/busy";
import { Editor } from "../ui/editor";
import { Table } from "../ui/copy/table";
import { messages, writing } from "./edit-text";
import { type Attempt, Edits, howOf, type KernelEdit, outcomeOf, toneOf } from "./edits";

/** The part that edits kernels, with what was written in it. */
export function editingPart(): (props: EditingProps) => preact.JSX.Element {
  const edits = new Edits();
  return function Editing({ kernel }: EditingProps) {
    const { recordings } = useStore().source;
    const label = recordings.shown.value?.label ?? "";
    const edit = edits.of(label, kernel.id, kernel.code);
    return <Panes key={`${label} ${kernel.id}`} kernel={kernel} label={label} edit={edit} />;
  };
}

interface PanesProps {
  readonly kernel: KernelView;
  readonly label: string;
  readonly edit: KernelEdit;
}

function Panes({ kernel, label, edit }: PanesProps) {
  const { ask, runs } = useStore().source;
  const place = useSignal({ line: 0, tick: 0 });
  const run = (): void => {
    if (ask) void edit.run(ask, label, kernel.id);
  };
  return (
    <>
      <Text kernel={kernel} edit={edit} run={run} place={place.value} />
      <section class="dl-edit" aria-label="Edit" aria-busy={edit.busy.value} data-own>
        <Tools edit={edit} run={run} />
        {edit.busy.value && <Busy what="Building, checking and timing your kernel" />}
        {edit.busy.value && runs && <button type="button" class="dl-button" onClick={() => runs.stop()}>Stop</button>}
        <Result kernel={kernel} edit={edit} show={(line) => (place.value = { line, tick: place.value.tick + 1 })} />
      </section>
    </>
  );
}

interface TextProps {
  readonly kernel: KernelView;
  readonly edit: KernelEdit;
  readonly place: { readonly line: number; readonly tick: number };
  run(): void;
}

function Text({ kernel, edit, place, run }: TextProps) {
  const parent = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | null>(null);
  const latest = useRef(run);
  latest.current = run;
  useLayoutEffect(() => {
    if (!parent.current) return;
    const extra = writing((text) => (edit.text.value = text), () => latest.current());
    const made = new Editor(parent.current, { text: edit.text.peek(), language: kernel.language, label: `Edit ${kernel.name}`, writing: extra });
    editor.current = made;
    made.showLine(Math.max(1, (kernel.statements[0]?.[0] ?? 1) - 3), "start");
    return () => made.destroy();
  }, [edit]);
  useLayoutEffect(() => editor.current?.replace(edit.text.peek()), [edit.replaced.value]);
  const shown = edit.shown.value;
  useLayoutEffect(() => {
    const made = editor.current;
    if (!made) return;
    const diagnostics = shown?.answer?.diagnostics ?? [];
    const isSame = shown?.text === edit.text.peek();
    made.dress({ base: messages(made.view.state.doc, isSame ? diagnostics : []) });
    const first = diagnostics.find(({ line }) => line !== null)?.line;
    if (isSame && first) made.showLine(first);
  }, [shown, edit.replaced.value]);
  useLayoutEffect(() => {
    if (place.line > 0) editor.current?.goTo(place.line);
  }, [place]);
  return <div class="dl-code-block" ref={parent} data-own data-lm-suppress-shortcuts="true" />;
}

function Tools({ edit, run }: { edit: KernelEdit; run(): void }) {
  const changed = useComputed(() => edit.text.value !== edit.original);
  const { attempts, busy, shown } = edit;
  return (
    <div class="dl-toolbar dl-edit-tools">
      <button type="button" class="dl-button dl-edit-run" disabled={busy.value} title="Ctrl+Enter, or \u2318+Enter" aria-keyshortcuts="Control+Enter Meta+Enter" onClick={run}>Run</button>
      <button type="button" class="dl-button" disabled={!changed.value || busy.value} onClick={() => edit.reset()}>Back to the original</button>
      {attempts.value.length > 0 && (
        <div class="dl-segments dl-edit-attempts" role="group" aria-label="Attempts">
          {attempts.value.map((one, i) => <AttemptButton key={i} one={one} number={i + 1} current={one === shown.value} take={() => edit.take(one)} />)}
        </div>
      )}
    </div>
  );
}

function AttemptButton({ one, number, current, take }: { one: Attempt; number: number; current: boolean; take(): void }) {
  const outcome = outcomeOf(one);
  return (
    <button type="button" aria-pressed={current} title={`Attempt ${number}: ${outcome}. Its text comes back.`} onClick={take}>
      {number} <span class={one.answer ? toneOf(one.answer.verdict) : ""}>{outcome}</span>
    </button>
  );
}

function Result({ kernel, edit, show }: { kernel: KernelView; edit: KernelEdit; show(line: number): void }) {
  const isElsewhere = useModel().view.summary.target !== "";
  const shown = edit.shown.value;
  if (!shown) return edit.busy.value ? null : <p class="dl-edit-note dl-dim">{howOf(kernel, isElsewhere)}</p>;
  if (!shown.answer) return <p class="dl-edit-note dl-bad-text" role="alert">{shown.error}</p>;
  return <Answer view={shown.answer} show={show} />;
}

function Answer({ view, show }: { view: EditView; show(line: number): void }) {
  const rows = rowsOf(view.edits, view.before.split("\n"), view.after.split("\n"), false);
  return (
    <div class="dl-edit-answer dl-scroll">
      <div role="status">
        <p class={`dl-edit-verdict ${toneOf(view.verdict)}`}>{view.sentence}</p>
        {view.worst && <p><code>{view.worst}</code></p>}
      </div>
      {view.diagnostics.length > 0 && <Diagnostics found={view.diagnostics} show={show} />}
      {view.timings.length > 0 && <Timings view={view} />}
      {view.compared && <p class="dl-dim">{view.compared}</p>}
      {view.edits.some(([sign]) => sign !== "=") && <Diff rows={rows} entity="" />}
    </div>
  );
}

function Diagnostics({ found, show }: { found: readonly Diagnostic[]; show(line: number): void }) {
  return (
    <ul class="dl-diagnostics" aria-label="Messages of the compiler">
      {found.map((one, i) => (
        <li key={i}>
          {one.line !== null && <button type="button" class="dl-link" onClick={() => one.line !== null && show(one.line)}>line {one.line}</button>}{" "}
          <span class={one.severity === "error" ? "dl-bad-text" : "dl-dim"}>{one.severity}:</span> {one.message}
        </li>
      ))}
    </ul>
  );
}

function Timings({ view }: { view: EditView }) {
  return (
    <Table class="dl-trial-counts dl-edit-times">
      <thead><tr><th /><th scope="col">original</th><th scope="col">edited</th><th /></tr></thead>
      <tbody>
        {view.timings.map((one) => (
          <tr key={one.what}>
            <th scope="row">{one.what}</th><td>{one.original}</td><td>{one.edited}</td>
            <td class={one.tone === "good" ? "dl-good-text" : one.tone === "bad" ? "dl-bad-text" : "dl-dim"}>{one.ratio}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
