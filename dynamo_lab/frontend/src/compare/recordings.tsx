// Which recording is shown, of several; and what one that the kernel made has that yours has not.
import { useLayoutEffect, useRef } from "preact/hooks";
import { usePart, useStore } from "../core/context";
import type { Entry } from "../core/recordings";
import { Prose } from "../ui/bits";
import { compareState } from "./state";

/** More than these do not stand beside the counts. */
const MANY = 4;

export function RecordingSwitch() {
  const { recordings } = useStore().source;
  const entries = recordings.entries.value;
  const shown = recordings.shown.value?.label;
  const bar = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => bar.current?.querySelector("[aria-pressed=true]")?.scrollIntoView({ block: "nearest", inline: "nearest" }), [shown, entries.length]);
  if (entries.length < 2) return null;
  return (
    <div ref={bar} class={`dl-segments dl-recordings${entries.length > MANY ? " is-many" : ""}`} role="group" aria-label="Recording">
      {entries.map(({ label }) => (
        <button key={label} type="button" aria-pressed={label === shown} title={label} onClick={() => recordings.show(label)}>
          <span class="dl-ellipsis">{label}</span>
        </button>
      ))}
    </div>
  );
}

/** Where the ranks of a job part, which is what the page is for. */
export function RanksBar() {
  const ranks = useStore().source.recordings.ranks.value;
  if (!ranks) return null;
  return (
    <details class={`dl-notes dl-ranks${ranks.findings.length > 0 ? " dl-notes-warning" : ""}`} open>
      <summary><b><Prose text={ranks.sentence} plain /></b></summary>
      <ul>{[...ranks.findings, ...ranks.remarks].map((text) => <li key={text}><Prose text={text} /></li>)}</ul>
      <table>
        <tbody>{[ranks.head, ...ranks.rows].map((row, i) => <tr key={i}>{row.map((cell, j) => <td key={j}>{cell}</td>)}</tr>)}</tbody>
      </table>
    </details>
  );
}

function told({ fix, label, view }: Entry, isOther: boolean): string {
  if (isOther) return "This is what the other compiler makes of your program.";
  if (view.bench) return `Compiled once more and timed${view.bench.agreements.length > 0 ? ": Bench says whether it computes the same" : ""}.`;
  return fix ? `This is the program with the fix \`${fix}\`.` : `Lowered again: \`${label}\`.`;
}

/** Told above all else: what is shown is not the reader's own run. */
export function MadeBar() {
  const { source, setTab } = useStore();
  const { isBeside } = usePart(compareState);
  const { recordings } = source;
  const entry = recordings.shown.value;
  if (!entry || entry.label === entry.base) return null;
  const pair = recordings.between(entry.base, entry.label);
  const facts = pair?.facts ?? [];
  const compare = (): void => {
    isBeside.value = true;
    setTab("kernels");
  };
  return (
    <p class="dl-trial-bar" role="status">
      <span><Prose text={told(entry, Boolean(pair?.compilers))} /> {facts.length > 0 && <b>{facts.map((fact) => fact.replace(/\.$/, "")).join(", ")}.</b>}</span>
      <button type="button" class="dl-button" onClick={compare}>Compare kernels</button>
      <button type="button" class="dl-button" onClick={() => recordings.show(entry.base)}>Back to your recording</button>
    </p>
  );
}
