// The code of one kernel beside its assembly, with a choice between the kernels.
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import type { AssemblyView, KernelView } from "../core/types.generated";
import { plural } from "../core/words";
import { useDrawn } from "../ui/after-drawing";
import { Empty } from "../ui/bits";
import { around } from "../ui/paging";
import { GroundCode } from "./code";
import { type LineOf, originBelow, originOf } from "./lines";
import type { Pointed } from "./state";

interface PanesProps {
  readonly kernels: readonly KernelView[];
  readonly kernel: KernelView | undefined;
  readonly source: number | null;
  /** From the text that was lowered to the one that stands beside it. */
  readonly carry: LineOf;
  readonly pointed: Pointed;
  readonly level: string;
  /** Absent where none is to be shown. */
  readonly assembly?: AssemblyView | null;
  readonly assemblyNote?: ComponentChildren;
  choose(kernel: string): void;
  chooseLevel(level: string): void;
}

/** A library computes it: only its call was generated. */
const hasCode = ({ code, language }: KernelView): boolean => code !== "" && language !== "extern";

export function Panes(props: PanesProps) {
  const { kernels, kernel, source, carry, pointed, assembly } = props;
  const isDrawn = useDrawn();
  const of = useMemo((): LineOf => {
    const origin: LineOf = kernel ? originOf(kernel, source) : () => 0;
    return (line) => carry(origin(line));
  }, [kernel, source, carry]);
  if (!kernel) return <Empty title="No kernel">No code was generated.</Empty>;
  const written = kernels.filter(hasCode);
  const { first, end } = around(written.length, written.indexOf(kernel));
  const near = written.slice(first, end);
  const libraries = kernels.filter((one) => !hasCode(one));
  return (
    <>
      <div class="dl-toolbar dl-ground-kernels">
        {written.length > 1
          ? (
            <select class="dl-select" aria-label="Kernel" value={kernel.name} onChange={({ currentTarget }) => props.choose(currentTarget.value)}>
              {near.map((one) => <option key={one.id} value={one.name}>{one.title || one.name}</option>)}
              {near.length < written.length && <option disabled>{plural(written.length - near.length, "kernel")} more: choose one that is near, or in Kernels</option>}
            </select>
          )
          : <code class="dl-ellipsis" title={kernel.name}>{kernel.title || kernel.name}</code>}
        {libraries.length > 0 && <span class="dl-dim" title={libraries.map(({ name }) => name).join(", ")}>and {plural(libraries.length, "call")} of a library</span>}
      </div>
      <div class={`dl-ground-code${assembly === undefined ? "" : " is-split"}`}>
        {hasCode(kernel)
          ? isDrawn && <GroundCode text={kernel.code} language={kernel.language} label={`Code of ${kernel.name}`} of={of} pointed={pointed} />
          : <Empty title="No code of its own">A library computes it: the compiler writes the call only.</Empty>}
        {assembly !== undefined && isDrawn && <Below {...props} of={of} />}
      </div>
    </>
  );
}

function Below({ kernel, assembly, assemblyNote, level, of, pointed, chooseLevel }: PanesProps & { of: LineOf }) {
  const levels = assembly?.levels ?? [];
  const shown = levels.find(({ name }) => name === level) ?? levels.at(-1);
  const below = useMemo(() => originBelow(of, shown?.lines ?? []), [of, shown]);
  return (
    <section class="dl-ground-below" aria-label="Assembly">
      <div class="dl-toolbar dl-ground-levels">
        {levels.length > 1 && (
          <div class="dl-segments" role="group" aria-label="Level">
            {levels.map(({ name }) => <button key={name} type="button" aria-pressed={name === shown?.name} onClick={() => chooseLevel(name)}>{name}</button>)}
          </div>
        )}
        {levels.length === 1 && <strong>{shown?.name}</strong>}
        {assembly && assembly.resources.length > 0 && <span class="dl-dim dl-ellipsis" title={assembly.resources.join(" \u00b7 ")}>{assembly.resources.join(" \u00b7 ")}</span>}
        {assemblyNote}
      </div>
      {shown && <GroundCode text={shown.text} language="" label={`${shown.name} of ${kernel?.name ?? ""}`} of={below} pointed={pointed} />}
    </section>
  );
}
