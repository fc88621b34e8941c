// The row that stands for repeated blocks: how many, what one holds, and what is not the same in them.
import { useModel, useStore } from "../core/context";
import { grouped, plural } from "../core/words";
import { Prose } from "../ui/bits";
import { endOf } from "./folds";
import type { NodeRow } from "./rows";

interface RepeatRowProps {
  readonly row: NodeRow;
  readonly isOpen: boolean;
}

export function RepeatRow({ row: { index, repeat, depth }, isOpen }: RepeatRowProps) {
  const store = useStore();
  const { kin } = useModel();
  const one = index.graph.repeats[repeat];
  const { size, times, name, holds, differs } = one;
  const start = kin.vertex("node", index.graph.id, 0);
  const isIn = (mask: Uint8Array | null): boolean => mask !== null && mask.subarray(start + one.first + size, start + endOf(one)).includes(1);
  const marked = isOpen ? "" : isIn(store.held.value) ? " is-held" : isIn(store.lit.value) ? " is-lit" : "";
  const each = holds === "inputs" ? `${plural(size, "input")} each` : `${plural(size, "node")} each: ${holds}`;
  const told = [each, ...(differs.length > 0 ? differs : ["equal but for names"])].join("; ");
  const title = `${isOpen ? "Fold to the first of them" : `Show all ${grouped(times)}`} (Enter, or \u2190 \u2192 on a node)`;
  return (
    <>
      <span class="dl-row-number" />
      <span class={`dl-cell-main dl-repeat-head${marked}`} style={{ paddingInlineStart: `${depth * 18}px` }}>
        <button type="button" class="dl-go" tabIndex={-1} aria-expanded={isOpen} title={title}>
          {isOpen ? "\u25be" : "\u25b8"} <b>{"\u00d7"} {grouped(times)}</b> {name}
        </button>
        {" "}<span class="dl-dim" title={told.replaceAll("`", "")}><Prose text={isOpen ? told : `${told}; the first:`} inRow /></span>
      </span>
    </>
  );
}
