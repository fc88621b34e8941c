// The changed text written into the reader's own cell, and taken back.
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { useStore } from "../core/context";
import type { CellEdit, Cells } from "../core/source";
import type { SourceEdit } from "../core/types.generated";
import { messageOf } from "../core/words";

const PATIENCE_MS = 20_000;
const NOWHERE = "Only JupyterLab with its extension can write into a cell: copy the text.";

/** What was written before is taken back first: a change is of the cell as it ran. */
export function replace(cells: Cells, before: CellEdit | null, edit: CellEdit): string {
  if (before && cells.isApplied(before)) {
    const why = cells.undo(before);
    if (why) return why;
  }
  return cells.apply(edit);
}

export function ApplyDraft({ edit, isCurrent, of }: { edit: SourceEdit | null; isCurrent: boolean; of: string }) {
  const { source: host } = useStore();
  const root = useRef<HTMLSpanElement>(null);
  const written = useSignal<CellEdit | null>(null);
  const said = useSignal("");
  const apply = async (change: SourceEdit): Promise<string> => {
    const cells = root.current && host.cells?.(root.current);
    if (!cells || !host.ask) return NOWHERE;
    const next: CellEdit = { ...(await host.ask("cell", { of, source: change.source }, PATIENCE_MS)), parts: change.parts, isAbove: false };
    const why = replace(cells, written.peek(), next);
    if (why) return why;
    written.value = next;
    return `Written into ${change.name}. Nothing ran: run the cell to compile it.`;
  };
  const undo = (): string => {
    const cells = root.current && host.cells?.(root.current);
    const last = written.peek();
    if (!cells || !last) return NOWHERE;
    const why = cells.undo(last);
    if (!why) written.value = null;
    return why || "The cell is as it was.";
  };
  const tell = (made: Promise<string>): void => void made.then((text) => (said.value = text), (error: unknown) => (said.value = messageOf(error)));
  return (
    <span class="dl-ground-apply" ref={root}>
      {edit?.is_cell && <button type="button" class="dl-button" disabled={!isCurrent} title={isCurrent ? "Writes this text into your cell; runs nothing" : "What stands here is not lowered yet"} onClick={() => tell(apply(edit))}>Apply to {edit.name}</button>}
      {written.value && <button type="button" class="dl-button" title="Takes back what was written" onClick={() => tell(Promise.resolve(undo()))}>Undo</button>}
      <span class="dl-dim" role="status">{said.value}</span>
    </span>
  );
}
