// A box to change a rule or a kernel's text in place, and what came of it.
import type { Signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Diff } from "../compare/diff";
import { rowsOf } from "../compare/pairs";
import type { Asking } from "../core/source";
import type { ChangeView } from "../core/types.generated";
import { writing } from "../kernels/edit-text";
import { Prose } from "../ui/bits";
import { Busy } from "../ui/busy";
import { Editor } from "../ui/editor";
import type { GraphChanges } from "./state";
import { grouped } from "../core/words";

/** How a change is asked for: absent where no program lives. */
export type Change = (change: Asking) => Promise<ChangeView | null>;

interface BoxProps {
  readonly draft: Signal<string | null>;
  /** What it is a draft of, as `GraphChanges.draft` calls it. */
  readonly of: string;
  readonly original: string;
  readonly language: string;
  readonly label: string;
  readonly changes: GraphChanges;
  send(text: string): void;
}

export function Box({ draft, of, original, language, label, changes, send }: BoxProps) {
  const busy = changes.busy.value;
  const parent = useRef<HTMLDivElement>(null);
  const latest = useRef<() => void>(() => undefined);
  const run = (): void => send(draft.peek() ?? original);
  latest.current = run;
  useLayoutEffect(() => {
    if (!parent.current) return;
    const extra = writing((text) => (draft.value = text), () => latest.current());
    const made = new Editor(parent.current, { text: draft.peek() ?? original, language, label, writing: extra });
    made.view.focus();
    return () => made.destroy();
  }, [draft]);
  return (
    <div class="dl-stage-box" data-own>
      <div class="dl-code-block dl-stage-text" ref={parent} data-lm-suppress-shortcuts="true" />
      <div class="dl-toolbar">
        <button type="button" class="dl-button dl-edit-run" disabled={busy} title="Ctrl+Enter, or \u2318+Enter" onClick={run}>{busy ? "Trying\u2026" : "Try"}</button>
        <button type="button" class="dl-button" disabled={busy} onClick={() => (draft.value = null)}>Cancel</button>
      </div>
      <Refusal changes={changes} of={of} />
    </div>
  );
}

/** Why what was asked here last was refused, said where it was asked, too. */
export function Refusal({ changes, of }: { changes: GraphChanges; of: string }) {
  const last = changes.shown.value;
  if (changes.busy.value || changes.asked.value !== of || last?.verdict !== "refused") return null;
  return <p class="dl-stage-note dl-bad-text"><Prose text={last.sentence} /></p>;
}

interface OutcomeProps {
  readonly changes: GraphChanges;
  readonly undo: () => void;
  readonly stop?: () => void;
}

/** What counts of the reader's changes, and what came of the last one. */
export function Outcome({ changes, undo, stop }: OutcomeProps) {
  const { busy, shown, error, counting } = changes;
  if (!busy.value && !shown.value && !error.value && counting.value.length === 0) return null;
  return (
    <section class="dl-stage-outcome" aria-label="Change" aria-busy={busy.value} data-own>
      {busy.value && <Busy what="Lowering, checking against eager and timing" />}
      {busy.value && stop && <button type="button" class="dl-button" onClick={stop}>Stop</button>}
      {error.value && <p class="dl-bad-text" role="alert">{error.value}</p>}
      {!busy.value && shown.value && <Told change={shown.value} />}
      {counting.value.length > 0 && (
        <p class="dl-stage-counting">
          <span class="dl-dim">changed: </span>{counting.value.join(", ")}{" "}
          <button type="button" class="dl-button" disabled={busy.value} onClick={undo}>Undo the last</button>
        </p>
      )}
    </section>
  );
}

function Told({ change }: { change: ChangeView }) {
  const tone = change.tone === "good" ? "dl-good-text" : change.tone === "bad" ? "dl-bad-text" : "dl-dim";
  return (
    <>
      <p class={`dl-edit-verdict ${change.verdict === "refused" ? "dl-bad-text" : "dl-good-text"}`} role="status"><Prose text={change.sentence} /></p>
      {change.verdict === "refused" && <p class="dl-dim">Nothing changed: the program is as it was.</p>}
      {change.time && <p class={tone}>{change.time}</p>}
      {change.counts.length > 0 && <p class="dl-dim">{change.counts.map(([name, before, after]) => `${name}: ${grouped(before)} \u2192 ${grouped(after)}`).join(" \u00b7 ")}</p>}
      {change.fusion.map((line) => <code key={line} class="dl-stage-fusion">{line}</code>)}
      {change.texts.map((one) => (
        <details key={one.kernel} class="dl-fold" open={change.texts.length === 1}>
          <summary>{one.kernel}: the difference</summary>
          <Diff rows={rowsOf(one.edits, one.before.split("\n"), one.after.split("\n"), false)} entity="" />
        </details>
      ))}
    </>
  );
}
