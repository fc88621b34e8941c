// The lines of a diff, with the differences within a line marked.
import { Differing, diffTone } from "../ui/differing";
import type { Row } from "./pairs";

export function Diff({ rows, entity }: { rows: readonly Row[]; entity: string }) {
  return (
    <div class="dl-beside-diff" role="region" aria-label="Diff of the code" tabIndex={0} data-entity={entity || undefined}>
      <div>
        {rows.map(([sign, text, other], i) => (
          <div key={i} class={sign === "" ? "dl-row-skipped" : diffTone(sign)}><span class="dl-diff-sign">{sign}</span>{other === undefined ? text : <Differing text={text} other={other} />}</div>
        ))}
      </div>
    </div>
  );
}
