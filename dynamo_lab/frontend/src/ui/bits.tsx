// The small pieces all parts are made of.
import type { ComponentChildren } from "preact";
import { useModel, useStore } from "../core/context";
import { graphEntity, parseEntity } from "../core/entities";
import { placeName, type Tab } from "../core/tabs";

/** A sentence where a list would be empty. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="dl-empty">
      <p class="dl-empty-title">{title}</p>
      {children && <p>{children}</p>}
    </div>
  );
}

/** "Frames", as a link where there are any. */
export function GoTab({ tab }: { tab: Tab }) {
  const store = useStore();
  if (!store.tabs.value.includes(tab)) return <>{placeName(tab)}</>;
  return <button type="button" class="dl-link" onClick={() => store.setTab(tab)}>{placeName(tab)}</button>;
}

interface GoProps {
  readonly to: string;
  readonly children: ComponentChildren;
  readonly title?: string;
  /** In a row of a list: the list is one stop of the Tab key, the selection offers the links. */
  readonly inRow?: boolean;
}

/**
 * Leads to an entity: lights its kin under the pointer, pins and shows it on click. A line that is
 * not shown, of a source that the view leaves out or of PyTorch's call around a module, is plain text.
 */
export function Go({ to, children, title, inRow }: GoProps) {
  const { sources } = useModel();
  const entity = parseEntity(to);
  if (entity?.kind === "line" && (sources.get(entity.a)?.is_wrapper ?? true)) return <span title={title}>{children}</span>;
  return (
    <button type="button" class="dl-go" data-go={to} title={title} tabIndex={inRow ? -1 : undefined}>
      {children}
    </button>
  );
}

export function GraphChip({ id }: { id: number }) {
  const { colourOf, graphTitle } = useModel();
  return (
    <button type="button" class={`dl-chip dl-graph-chip ${colourOf(id)}`} data-go={graphEntity(id)}>
      {graphTitle(id)}
    </button>
  );
}

export function Badge({ tone, children }: { tone: string; children: ComponentChildren }) {
  return <span class={`dl-badge dl-tone-${tone}`}>{children}</span>;
}

/** A fold that does not pin the card it lies in. */
export function Fold({ label, children, open }: { label: ComponentChildren; children: ComponentChildren; open?: boolean }) {
  return (
    <details class="dl-fold" data-own open={open}>
      <summary>{label}</summary>
      {children}
    </details>
  );
}

interface ProseProps {
  readonly text: string;
  /** Within what is pressed itself: a button, the head of a fold. */
  readonly plain?: boolean;
  readonly inRow?: boolean;
}

/** Where something is, in words: the lines that it names are links. */
export function Where({ text, plain, inRow }: ProseProps) {
  const { model } = useStore();
  if (plain || !model.value) return <>{text}</>;
  return <>{model.value.mentions.pieces(text).map(([piece, entity], i) => (entity ? <Go key={i} to={entity} inRow={inRow}>{piece}</Go> : piece))}</>;
}

/** Code in a sentence: the name of a kernel leads to it. */
function Code({ text, plain, inRow }: ProseProps) {
  const kernel = useStore().model.value?.mentions.kernel(text) ?? "";
  return kernel && !plain ? <Go to={kernel} inRow={inRow}>{text}</Go> : <code>{text}</code>;
}

/** Texts in backquotes are code: PyTorch's messages and our sentences use them so. */
export function Prose({ text, ...how }: ProseProps) {
  return <>{text.split("`").map((part, i) => (i % 2 === 1 ? <Code key={i} text={part} {...how} /> : <Where key={i} text={part} {...how} />))}</>;
}

const COMPILATION = /^(\d+)\/(\d+)/;

/** PyTorch's number of a compilation, "0/1", and what its parts count. */
export function CompileId({ id }: { id: string }) {
  const parts = COMPILATION.exec(id);
  const times = parts && (parts[2] === "0" ? "compiled for the first time" : `compiled again, time ${parts[2]}`);
  const title = parts ? `Compilation ${id}: frame number ${parts[1]}, ${times}` : `Compilation ${id}`;
  return <abbr class="dl-compile-id" title={title}>{id}</abbr>;
}

const OUTCOME_TONES: Readonly<Record<string, string>> = {
  compiled: "good", restarted: "plain", skipped: "grey", failed: "bad", compiling: "plain", resumed: "warning", recompiled: "warning",
};
export const outcomeTone = (outcome: string): string => OUTCOME_TONES[outcome] ?? "plain";

/** Why there is none of something: in a package Dynamo had no part, and elsewhere as the children say. */
export function WhyNone({ children }: { children: ComponentChildren }) {
  const { packages, frames } = useModel().view;
  return packages.length > 0 && frames.length === 0 ? <Prose text={packages[0].origin} /> : <>{children}</>;
}
