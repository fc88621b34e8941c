// Kernels of two recordings beside each other: what computes the same stands in one row.
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { carryLine } from "../core/carry";
import { useModel, usePart, useStore } from "../core/context";
import { kernelEntity, lineEntity } from "../core/entities";
import type { Mask } from "../core/kin";
import { type Model, modelOf } from "../core/model";
import type { KernelView, PairView } from "../core/types.generated";
import { withoutFolders } from "../core/words";
import { kernelLines } from "../kernels/lines";
import { Badge, Empty, Fold } from "../ui/bits";
import { CodeBlock } from "../ui/code-block";
import { VirtualList } from "../ui/virtual-list";
import { Deeds } from "./deeds";
import { Diff } from "./diff";
import { diffRows, type Work, worksOf } from "./pairs";
import { compareState } from "./state";

/** Between the list of kernels and two recordings' kernels beside each other, where there are two. */
export function BesideToggle() {
  const { source } = useStore();
  const { isBeside } = usePart(compareState);
  if (source.recordings.entries.value.length < 2) return null;
  return (
    <div class="dl-segments" role="group" aria-label="Kernels of">
      <button type="button" aria-pressed={!isBeside.value} onClick={() => (isBeside.value = false)}>one</button>
      <button type="button" aria-pressed={isBeside.value} onClick={() => (isBeside.value = true)}>side by side</button>
    </div>
  );
}

/** The source lines of a kernel of another recording, as lines of the one that is shown. */
function linesHere(kernel: number, other: Model, here: Model): string {
  const found = kernelLines(other, kernel).map((place) => carryLine(place, other, here));
  return found.flatMap((place) => (place ? [lineEntity(...place)] : [])).join(" ");
}

interface Sides {
  readonly pair: PairView;
  readonly own: string;
  readonly label: string;
  readonly other: Model;
}

/** The recording beside the shown one: the chosen, else the one that it was made from, else the first other. */
export function useOther(): Sides | null {
  const { source } = useStore();
  const { other } = usePart(compareState);
  const { recordings } = source;
  const shown = recordings.shown.value;
  const others = recordings.entries.value.filter((entry) => entry.label !== shown?.label);
  const entry = others.find(({ label }) => label === other.value) ?? others.find(({ label }) => label === shown?.base) ?? others[0];
  const pair = shown && entry ? recordings.between(shown.label, entry.label) : null;
  return shown && entry && pair ? { pair, own: shown.label, label: entry.label, other: modelOf(entry.view) } : null;
}

export function Beside() {
  const store = useStore();
  const sides = useOther();
  const here = useModel();
  if (!sides) return <Empty title="Nothing beside it">These two recordings were not compared.</Empty>;
  const works = worksOf(sides.pair, sides.own);
  const chosen = compareState(store).work.value ?? works.findIndex(({ view }) => !view.same);
  const at = Math.max(0, Math.min(chosen, works.length - 1));
  return (
    <div class="dl-beside">
      <Head sides={sides} />
      {sides.pair.compilers && <Deeds of={sides.pair.compilers} />}
      {works.length === 0
        ? <Empty title="No kernels">Neither recording has a kernel.</Empty>
        : <><Works works={works} sides={sides} at={at} /><Columns key={`${sides.own} ${sides.label} ${at}`} work={works[at]} sides={sides} here={here} /></>}
    </div>
  );
}

const READING =
  "Each row is work that both recordings do: kernels that compute the same operators are together, even if one has two for it and the other one. " +
  "An operator that several kernels compute, each for itself, ties none together. Hover a kernel on either side, and the lines that it came from light up; " +
  "pin a line, and its kernels stay lit when you switch to another recording above.";

function Head({ sides }: { sides: Sides }) {
  const { source } = useStore();
  const { other } = usePart(compareState);
  const others = source.recordings.entries.value.filter(({ label }) => label !== sides.own);
  return (
    <div class="dl-toolbar dl-beside-head">
      <BesideToggle />
      <b class="dl-ellipsis">{sides.own}</b>
      <span class="dl-dim">beside</span>
      <select class="dl-select" aria-label="Recording beside it" value={sides.label} onChange={(event) => (other.value = event.currentTarget.value)}>
        {others.map(({ label }) => <option key={label} value={label}>{label}</option>)}
      </select>
      <span class="dl-dim">{sides.pair.a === sides.own ? "" : `from ${sides.label}: `}{sides.pair.facts.join(", ")}</span>
      <Fold label="Reading this view"><p class="dl-dim">{READING}</p></Fold>
    </div>
  );
}

const ROW = 26;
const MOST_ROWS = 5;

function Works({ works, sides, at }: { works: readonly Work[]; sides: Sides; at: number }) {
  const store = useStore();
  const { kin } = useModel();
  const touches = (mask: Mask | null, work: Work): boolean => mask !== null && work.own.some((id) => mask[kin.vertex("kernel", id)] === 1);
  return (
    <div class="dl-beside-works" style={{ height: `${Math.min(MOST_ROWS, works.length) * ROW}px` }}>
      <VirtualList
        label="Kernels that do the same work" count={works.length} row={ROW} current={at} onChoose={(i) => (compareState(store).work.value = i)}
        entity={(i) => works[i]?.own.map(kernelEntity).join(" ") ?? ""}
        rowClass={(i) => `dl-row-work${i === at ? " is-current" : ""}${touches(store.lit.value, works[i]) ? " is-lit" : ""}${touches(store.held.value, works[i]) ? " is-held" : ""}`}
        renderRow={(i) => {
          const { view } = works[i];
          return (
            <>
              <span class="dl-kernel-name" title={view.title}>{view.title}</span>
              <span class="dl-dim">{withoutFolders(view.where)}</span>
              <span class="dl-space" />
              <span class={view.same ? "dl-dim" : "dl-work-change"} title={`from ${sides.pair.a} to ${sides.pair.b}`}>{view.sentence}</span>
            </>
          );
        }}
      />
    </div>
  );
}

const pick = (model: Model, ids: readonly number[]): KernelView[] => model.view.kernels.kernels.filter((kernel) => ids.includes(kernel.id));

function Columns({ work, sides, here }: { work: Work; sides: Sides; here: Model }) {
  const asDiff = useSignal(work.view.edits.length > 0);
  const whole = useSignal(false);
  const own = pick(here, work.own);
  const other = pick(sides.other, work.other);
  const lines = useMemo(() => new Map(other.map(({ id }) => [id, linesHere(id, sides.other, here)])), [work, sides.other, here]);
  const entity = (id: number): string => lines.get(id) ?? "";
  return (
    <>
      {work.view.edits.length > 0 && (
        <div class="dl-toolbar dl-calls">
          <div class="dl-segments" role="group" aria-label="Form">
            <button type="button" aria-pressed={asDiff.value} onClick={() => (asDiff.value = true)}>diff</button>
            <button type="button" aria-pressed={!asDiff.value} onClick={() => (asDiff.value = false)}>columns</button>
          </div>
          {asDiff.value && <label class="dl-check"><input type="checkbox" checked={whole.value} onChange={() => (whole.value = !whole.value)} /> all lines</label>}
          <span class="dl-space" />
          {asDiff.value && <span class="dl-dim"><span class="dl-gone">- {sides.pair.a}</span> <span class="dl-new">+ {sides.pair.b}</span>; numbers of <code>tmp</code> do not count</span>}
        </div>
      )}
      {asDiff.value && work.view.edits.length > 0
        ? <Diff rows={work.turned ? diffRows(work.view, other, own, whole.value) : diffRows(work.view, own, other, whole.value)} entity={own.map(({ id }) => kernelEntity(id)).join(" ")} />
        : (
          <div class="dl-beside-columns">
            <Column label={sides.own} kernels={own} entity={kernelEntity} empty={empty(work, sides.own)} />
            <Column label={sides.label} kernels={other} entity={entity} empty={empty(work, sides.label)} />
          </div>
        )}
    </>
  );
}

function empty({ view }: Work, label: string): string {
  const { inside } = view;
  if (inside.length === 0) return `Nothing in ${label} computes this.`;
  return `No kernel of its own in ${label}: ${inside.length === 1 ? "another kernel computes" : `${inside.length} other kernels compute`} this on the way.`;
}

interface ColumnProps {
  readonly label: string;
  readonly kernels: readonly KernelView[];
  readonly empty: string;
  entity(id: number): string;
}

function Column({ label, kernels, entity, empty }: ColumnProps) {
  const { lit, held } = useStore();
  const { kin } = useModel();
  const among = (mask: Mask | null, id: number): boolean => mask !== null && kin.resolve(entity(id)).some((vertex) => mask[vertex] === 1);
  return (
    <section class="dl-beside-column" aria-label={`Kernels of ${label}`}>
      <h3>{label}</h3>
      {kernels.length === 0 && <p class="dl-dim">{empty}</p>}
      {kernels.map((kernel) => (
        <div key={kernel.id} data-entity={entity(kernel.id) || undefined}>
          <div class={`dl-beside-kernel${among(lit.value, kernel.id) ? " is-lit" : ""}${among(held.value, kernel.id) ? " is-held" : ""}`}>
            <code class="dl-ellipsis" title={kernel.name}>{kernel.name}</code>
            <Badge tone={kernel.language === "extern" ? "grey" : "plain"}>{kernel.language}</Badge>
          </div>
          {kernel.code
            ? <CodeBlock text={kernel.code} language={kernel.language} label={`Code of ${kernel.name}, ${label}`} />
            : <p class="dl-dim">A library's kernel: the compiler writes the call only.</p>}
        </div>
      ))}
    </section>
  );
}
