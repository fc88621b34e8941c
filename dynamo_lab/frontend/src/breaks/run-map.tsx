// The run as a picture: regions and breaks in the order of the calls, each below what called it.
import { useSignal } from "@preact/signals";
import { useModel, useStore } from "../core/context";
import { graphEntity, parseEntity } from "../core/entities";
import type { KinIndex, Mask } from "../core/kin";
import type { MapRow } from "../core/types.generated";
import { plural } from "../core/words";
import { Go } from "../ui/bits";

const FOLDED = 14;
const MORE = 200;
/** A fold that hides one or two rows would take their place itself. */
const SLACK = 3;

/** Whether a row is kin: it is named by a mask, or holds a node that is. */
export function isIn(mask: Mask | null, row: MapRow, kin: KinIndex): boolean {
  const parsed = parseEntity(row.entity);
  if (!mask || (parsed?.kind !== "frame" && parsed?.kind !== "break")) return false;
  return mask[kin.vertex(parsed.kind, parsed.a)] === 1 || row.graphs.some((id) => kin.countNodes(mask, id) > 0);
}

function Graphs({ row }: { row: MapRow }) {
  const { colourOf, graphTitle } = useModel();
  const last = row.graphs[row.graphs.length - 1];
  return (
    <button type="button" class={`dl-chip dl-graph-chip ${colourOf(last)}`} data-go={graphEntity(last)} tabIndex={-1}>
      {graphTitle(last)}{row.graphs.length > 1 && ` and ${row.graphs.length - 1} more`}
    </button>
  );
}

function Row({ row }: { row: MapRow }) {
  const model = useModel();
  const store = useStore();
  const state = `${isIn(store.lit.value, row, model.kin) ? " is-lit" : ""}${isIn(store.held.value, row, model.kin) ? " is-held" : ""}`;
  const colour = row.graphs.length > 0 ? model.colourOf(row.graphs[row.graphs.length - 1]) : "dl-rnone";
  const text = [row.size, row.text].filter(Boolean).join(", ");
  return (
    <li class={`dl-map-row dl-map-${row.kind} ${colour}${state}`} style={{ "--dl-depth": Math.min(row.depth, 12) }}>
      <span class="dl-map-name">
        {row.kind === "break" && <span class="dl-map-sign" aria-hidden="true">{"\u21af"}</span>}
        {row.entity
          ? <button type="button" class="dl-map-go" data-go={row.entity}>{row.name}</button>
          : <span class="dl-dim">{row.name}</span>}
      </span>
      <span class="dl-map-lines dl-dim">{row.line ? <Go to={row.line}>{row.lines}</Go> : row.lines}</span>
      {row.graphs.length > 0 && <span><Graphs row={row} /></span>}
      <span class={`dl-map-text${row.graphs.length > 0 ? "" : " is-wide"}`}>
        {row.kind !== "break" && <span class="dl-map-kind">{row.kind}</span>}
        {text && <span class={row.kind === "break" ? "" : "dl-dim"}> {text}</span>}
      </span>
    </li>
  );
}

/** The rows to draw after so many times of asking for more. */
export function foldedRows(rows: readonly MapRow[], asked: number): readonly MapRow[] {
  const shown = FOLDED + asked * MORE;
  return rows.length <= shown + SLACK ? rows : rows.slice(0, shown);
}

export function RunMap() {
  const rows = useModel().view.run_map;
  const asked = useSignal(0);
  if (rows.filter((row) => row.entity).length < 2) return null;
  const shown = foldedRows(rows, asked.value);
  const left = rows.length - shown.length;
  return (
    <section class="dl-map" aria-label="Map of the run" data-own>
      <h3>The run, in the order of its calls</h3>
      <ol>
        {shown.map((row, i) => (
          <>
            {row.file && <li class="dl-map-file dl-dim">{row.file}</li>}
            <Row key={i} row={row} />
          </>
        ))}
      </ol>
      {left > 0 && (
        <button type="button" class="dl-button" onClick={() => asked.value++}>
          {left > MORE + SLACK ? `Show ${MORE} of ${plural(left, "more row")}` : `Show ${plural(left, "more row")}`}
        </button>
      )}
      {asked.value > 0 && <button type="button" class="dl-button" onClick={() => (asked.value = 0)}>Show fewer rows</button>}
    </section>
  );
}
