// The code of a kernel, or its place in the wrapper where it has none of its own.
import { type Signal, useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { timeOf } from "../benchmarks/state";
import { useModel, useStore } from "../core/context";
import { kernelEntity } from "../core/entities";
import type { KernelView, WrapperView } from "../core/types.generated";
import { plural } from "../core/words";
import { Badge, Empty, GraphChip } from "../ui/bits";
import { CodeBlock } from "../ui/code-block";
import { Splitter } from "../ui/splitter";
import { nextOf } from "../ui/virtual";
import { Assembly, type AssemblyState, useAssembly } from "./assembly";
import { callLines } from "./calls";
import { KernelCode } from "./code";
import type { Item } from "./items";
import { kernelsState } from "./state";

interface KernelProps {
  readonly kernel: KernelView;
  readonly wrapper: WrapperView | undefined;
}

interface HeadProps extends KernelProps {
  readonly calls: readonly number[];
  readonly assembly: AssemblyState;
  readonly editing: Signal<boolean>;
}

const NO_KERNEL = "A kernel can be edited while the program lives: record it with explore() or %%compile, and open it in a notebook.";

/** Opens the editor; where nothing can run, it is off and says why. */
function EditButton({ editing, close }: { editing: Signal<boolean>; close(): void }) {
  const { Editing, runs } = useStore().source;
  const why = Editing && runs?.ready.value ? "" : NO_KERNEL;
  const toggle = (): void => {
    if (why) return;
    editing.value = !editing.value;
    if (editing.value) close();
  };
  return <button type="button" class="dl-button" data-own aria-pressed={editing.value} aria-disabled={why !== ""} title={why || "Change this code, check it and time it"} onClick={toggle}>Edit</button>;
}

function KernelHead({ kernel, wrapper, calls, assembly, editing }: HeadProps) {
  const store = useStore();
  const time = timeOf(useModel())(kernel.id);
  const line = calls[0] ?? kernel.line;
  return (
    <div class="dl-toolbar dl-kernel-head" data-entity={kernelEntity(kernel.id)}>
      <code class="dl-ellipsis dl-kernel-heading" title={[kernel.name, kernel.coverage].filter(Boolean).join(": ")}>{kernel.name}</code>
      {time && <span title="Measured: all its calls in one call of the program, warm caches; its share of that">{time}</span>}
      {kernel.calls > 1 && <span class="dl-dim">called {kernel.calls} times</span>}
      {kernel.is_backward && <Badge tone="plain">backward</Badge>}
      {kernel.graph !== null && <GraphChip id={kernel.graph} />}
      {kernel.nodes.length > 0 && <span class="dl-dim dl-if-wide">{plural(kernel.nodes.length, "node")}</span>}
      {kernel.coverage && <span class="dl-dim dl-if-wide" title="A statement is a line that computes. Its colour is that of your line.">{kernel.coverage}</span>}
      {kernel.code && kernel.language !== "c" && (
        <button type="button" class="dl-button" data-own aria-pressed={assembly.open.value} onClick={() => { assembly.open.value = !assembly.open.value; editing.value = false; }}>Assembly</button>
      )}
      {kernel.code && kernel.language !== "extern" && kernel.language !== "c" && <EditButton editing={editing} close={() => (assembly.open.value = false)} />}
      {wrapper && kernel.code && (
        <button type="button" class="dl-go" data-own aria-label="show in wrapper" title="Show its call in the wrapper" onClick={() => (kernelsState(store).kernel.value = { kind: "wrapper", id: wrapper.id, line, of: kernel.id })}>
          <span class="dl-if-wide">show in </span>wrapper
        </button>
      )}
    </div>
  );
}

/** A wrapper with the calls of one kernel told apart, and steps from call to call. */
function Calls({ wrapper, lines, what }: { wrapper: WrapperView; lines: readonly number[]; what: string }) {
  const at = useSignal({ line: lines[0] ?? -1, tick: 0 });
  const line = lines.includes(at.value.line) ? at.value.line : lines[0];
  const step = (by: 1 | -1): void => void (at.value = { line: nextOf(lines, line, by), tick: at.value.tick + 1 });
  return (
    <>
      <div class="dl-toolbar dl-calls">
        <span class="dl-dim">
          {what} {lines.length === 1 ? `Line ${line} of the ${wrapper.title} calls it.` : `Call ${lines.indexOf(line) + 1} of ${lines.length} in the ${wrapper.title}: line ${line}.`}
        </span>
        {lines.length > 1 && (
          <span class="dl-kin">
            <button type="button" class="dl-icon" aria-label="Previous call" onClick={() => step(-1)}>{"\u2191"}</button>
            <button type="button" class="dl-icon" aria-label="Next call" onClick={() => step(1)}>{"\u2193"}</button>
          </span>
        )}
      </div>
      <CodeBlock text={wrapper.code} language={wrapper.language} label={`Code of ${wrapper.title}`} line={line} tick={at.value.tick} marked={lines} />
    </>
  );
}

function Kernel({ kernel, wrapper, assembly, editing }: Omit<HeadProps, "calls">) {
  const { Editing } = useStore().source;
  const form = editing.value ? " is-split is-edit" : assembly.open.value ? " is-split" : "";
  const calls = useMemo(() => (wrapper ? callLines(wrapper.code, kernel.name) : []), [wrapper?.code, kernel.name]);
  return (
    <>
      <KernelHead kernel={kernel} wrapper={wrapper} calls={calls} assembly={assembly} editing={editing} />
      {kernel.notes.map((note, i) => <p key={i} class="dl-kernel-target">{note}</p>)}
      {kernel.code
        ? (
          <div class={`dl-kernel-panes${form}`}>
            {editing.value && Editing ? <Editing kernel={kernel} /> : <KernelCode kernel={kernel} />}
            {assembly.open.value && <Splitter name="assembly" label="Room for the code beside its assembly" variable="--dl-assembly" start={50} />}
            {assembly.open.value && <Assembly kernel={kernel} state={assembly} />}
          </div>
        )
        : wrapper && calls.length > 0
          ? <Calls key={kernel.id} wrapper={wrapper} lines={calls} what="A library's kernel: the compiler writes the call only." />
          : <Empty title="No code of its own">An extern kernel is a library call: the compiler generates the call, not the kernel.</Empty>}
    </>
  );
}

function Wrapper({ wrapper, of }: { wrapper: WrapperView; of: KernelView | undefined }) {
  const store = useStore();
  const calls = useMemo(() => (of ? callLines(wrapper.code, of.name) : []), [wrapper.code, of?.name]);
  const head = (
    <div class="dl-toolbar dl-kernel-head">
      <span class="dl-ellipsis">{wrapper.title}</span>
      {wrapper.graph !== null && <GraphChip id={wrapper.graph} />}
      {of && <button type="button" class="dl-go" onClick={() => (kernelsState(store).kernel.value = { kind: "kernel", id: of.id })}>back to {of.title || of.name}</button>}
    </div>
  );
  if (of && calls.length > 0) return <>{head}<Calls key={of.id} wrapper={wrapper} lines={calls} what="" /></>;
  return <>{head}<CodeBlock text={wrapper.code} language={wrapper.language} label={`Code of ${wrapper.title}`} line={kernelsState(store).kernel.value?.line} /></>;
}

export function KernelDetail({ item, wrappers }: { item: Item; wrappers: readonly WrapperView[] }) {
  const store = useStore();
  const assembly = useAssembly();
  const editing = useSignal(false);
  if ("kernel" in item) return <Kernel assembly={assembly} editing={editing} kernel={item.kernel} wrapper={wrappers.find((w) => w.id === item.kernel.wrapper)} />;
  const of = kernelsState(store).kernel.value?.of;
  const kernel = store.model.value?.view.kernels.kernels.find((one) => one.id === of);
  return <Wrapper wrapper={item.wrapper} of={kernel} />;
}
