// What a remedy changes in the reader's own text, as a diff; in JupyterLab with buttons that write it into the cell.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { CellEdit, Cells } from "../core/source";
import { useModel, useStore } from "../core/context";
import type { SourceEdit } from "../core/types.generated";
import { CopyButton } from "../ui/copy/copy";
import { diffOf, newLines } from "./diff";
import { messageOf } from "../core/words";

/** The kernel answers at once, or after the cell that it runs. */
const PATIENCE_MS = 20_000;

function Diff({ edit }: { edit: SourceEdit }) {
  const source = useModel().view.sources.find(({ id }) => id === edit.source && !edit.is_above);
  return (
    <pre class="dl-fix-code dl-diff" tabIndex={0} aria-label={`Changes of ${edit.name}`}>
      {diffOf(edit, source).map((rows, at) => (
        <div key={at} class="dl-diff-place">
          {rows.map(({ number, sign, text }, i) => (
            <div key={i} class={sign === "+" ? "dl-added" : sign === "-" ? "dl-removed" : ""}>
              <span class="dl-diff-number">{number}</span>{sign} {text}
            </div>
          ))}
        </div>
      ))}
    </pre>
  );
}

interface Offer {
  readonly cells: Cells;
  readonly edit: CellEdit;
}

/** Which cell it is, as the kernel that recorded it says: asked again before each change. */
function useCell({ source, parts, is_above: isAbove }: SourceEdit) {
  const { source: host } = useStore();
  const root = useRef<HTMLDivElement>(null);
  const offer = useSignal<Offer | null>(null);
  const refusal = useSignal("");
  const find = async (): Promise<Offer | null> => {
    const cells = root.current && host.cells?.(root.current);
    if (!cells || !host.ask) return null;
    return { cells, edit: { ...(await host.ask("cell", { source }, PATIENCE_MS)), parts, isAbove } };
  };
  const look = (): Promise<void> =>
    find().then(
      (found) => {
        refusal.value = "";
        offer.value = found;
      },
      (error: unknown) => {
        refusal.value = messageOf(error);
        offer.value = null;
      },
    );
  useEffect(() => void look(), [source]);
  return { root, offer, refusal, look };
}

function applied({ name, is_above }: SourceEdit): string {
  return is_above ? `A new cell stands above ${name}. Run it, then ${name} again to see what that changed.` : `Written into ${name}. Run it again to see what that changed.`;
}

function Buttons({ edit }: { edit: SourceEdit }) {
  const { root, offer, refusal, look } = useCell(edit);
  const said = useSignal("");
  const isApplied = useSignal(false);
  const found = offer.value;
  useEffect(() => void (isApplied.value = !!found && found.cells.isApplied(found.edit)), [found]);
  const change = (what: "apply" | "undo"): void => {
    void look().then(() => {
      const now = offer.peek();
      if (!now) return;
      const why = now.cells[what](now.edit);
      isApplied.value = now.cells.isApplied(now.edit);
      said.value = why || (what === "apply" ? applied(edit) : edit.is_above ? "The new cell is gone. If it ran, what it set holds until the kernel restarts." : `${edit.name} is as it was before.`);
    });
  };
  return (
    <div class="dl-change-buttons" ref={root}>
      {found && !isApplied.value && <button type="button" class="dl-button" title="Writes these lines into your notebook; runs nothing" onClick={() => change("apply")}>{edit.is_above ? `Add a cell above ${edit.name}` : `Apply to ${edit.name}`}</button>}
      {found && isApplied.value && <button type="button" class="dl-button" title="Takes back what was written" onClick={() => change("undo")}>Undo</button>}
      <CopyButton text={newLines(edit)} title="Copies the lines that come" />
      <span class="dl-change-said" role="status">{refusal.value || said.value}</span>
    </div>
  );
}

export function Edit({ edit }: { edit: SourceEdit }) {
  return (
    <div class="dl-change">
      <p class="dl-change-head">{edit.is_above ? "above" : "in"} <b>{edit.name}</b>{!edit.is_cell && ", a file: change it there"}</p>
      <Diff edit={edit} />
      {edit.is_cell ? <Buttons key={edit.source} edit={edit} /> : <div class="dl-change-buttons"><CopyButton text={newLines(edit)} title="Copies the lines that come" /></div>}
    </div>
  );
}
