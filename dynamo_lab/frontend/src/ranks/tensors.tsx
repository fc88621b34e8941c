// The DTensors of a job: of the one that is chosen, which rank holds which block.
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { isFinger } from "../core/pointer";
import type { BlockView, TensorView } from "../core/types.generated";
import { plural } from "../core/words";
import { Table } from "../ui/copy/table";

const HEAD = ["", "shape", "type", "mesh", "placements", "a rank holds", "bytes"];
const WIDE = 420;
const TALL = 240;
/** A block gets its text where it has room for it. */
const LINE = 13;
const LETTER = 6.2;

function Block({ block, at, isLit }: { block: BlockView; at: number; isLit: boolean }) {
  const [x, y, width, height] = [block.x * WIDE, block.y * TALL, block.width * WIDE, block.height * TALL];
  const sizes = block.sizes.join(" x ");
  const lines = [block.label, sizes].filter((text, i) => height >= LINE * (i + 1) && width >= LETTER * text.length + 6);
  return (
    <g class={`dl-block ${isLit ? "is-lit" : ""}`} data-block={at}>
      <title>{`${block.label}: ${sizes} from [${block.offset.join(", ")}]`}</title>
      <rect x={x} y={y} width={width} height={height} />
      {lines.map((text, i) => <text key={text} x={x + 4} y={y + LINE * (i + 1) - 2}>{text}</text>)}
    </g>
  );
}

function Drawing({ tensor }: { tensor: TensorView }) {
  const at = useSignal<number | null>(null);
  const block = at.value === null ? null : tensor.blocks[at.value];
  const point = (event: PointerEvent): void => {
    const found = event.target instanceof Element ? event.target.closest("[data-block]") : null;
    at.value = found ? Number(found.getAttribute("data-block")) : null;
  };
  const behind = tensor.blocks.filter(({ is_behind }) => is_behind).length;
  const most = Math.max(...tensor.blocks.map(({ ranks }) => ranks.length));
  return (
    <div class="dl-tensor">
      <svg viewBox={`-1 -1 ${WIDE + 2} ${TALL + 2}`} width={WIDE} height={TALL} role="img" aria-label={`The blocks of ${tensor.name}`} onPointerDown={point} onPointerMove={point} onPointerLeave={(event) => { if (!isFinger(event)) at.value = null; }}>
        {tensor.blocks.map((one, i) => !one.is_behind && <Block key={i} block={one} at={i} isLit={i === at.value} />)}
      </svg>
      <p aria-live="polite">
        {block
          ? `${block.sizes.join(" x ")} from [${block.offset.join(", ")}], on ${plural(block.ranks.length, "rank")}: ${block.ranks.slice(0, 16).join(", ")}${block.ranks.length > 16 ? ", \u2026" : ""}`
          : `${plural(tensor.blocks.length, "block")}${most > 1 ? `, each on up to ${plural(most, "rank")}` : ""}. Rows are the dimension before the last, columns the last.`}
      </p>
      {behind > 0 && <p>{plural(behind, "block")} of them not drawn: behind these, cut in an earlier dimension.</p>}
      {tensor.empty.length > 0 && <p>Nothing of it is left for {plural(tensor.empty.length, "rank")}: {tensor.empty.slice(0, 16).join(", ")}{tensor.empty.length > 16 && ", \u2026"}</p>}
    </div>
  );
}

/** What the placements of a table mean, which only DTensor's authors know by heart. */
const PLACEMENTS: readonly (readonly [RegExp, string])[] = [
  [/\bS\(\d+\)/, "S(d) cuts dimension d into blocks"],
  [/\bS\(\d+, after \d+\)/, "S(d, after n) cuts the blocks of dimension d that another dimension of the mesh, n ranks long, has cut before"],
  [/\bR\b/, "R has all of it on each rank"],
  [/\bP\(sum\)/, "P(sum) has a part on each rank that is still to be added up"],
  [/\bP\((?!sum)/, "P(op) has a part on each rank, which op is still to join"],
];

export function Tensors({ tensors }: { tensors: readonly TensorView[] }) {
  const chosen = useSignal(0);
  const drawing = useRef<HTMLDivElement>(null);
  const choose = (row: number): void => {
    chosen.value = row;
    drawing.current?.scrollIntoView({ block: "nearest" }); // it lies above a long table
  };
  const tensor = tensors[Math.min(chosen.value, tensors.length - 1)];
  const written = tensors.map(({ cells }) => cells[HEAD.indexOf("placements")] ?? "").join(" ");
  const placed = PLACEMENTS.flatMap(([pattern, meaning]) => (pattern.test(written) ? [meaning] : []));
  return (
    <section>
      <h3>DTensors</h3>
      <div ref={drawing}>{tensor.blocks.length > 0 && <><p><b>{tensor.name}</b></p><Drawing key={tensor.name} tensor={tensor} /></>}</div>
      {tensor.remark && <p>{tensor.remark}</p>}
      {placed.length > 0 && <p class="dl-dim">Placements, one for each dimension of the mesh: {placed.join("; ")}.</p>}
      <Table class="dl-plan">
        <thead><tr>{HEAD.map((name) => <th key={name} scope="col">{name}</th>)}</tr></thead>
        <tbody>
          {tensors.map(({ cells }, row) => (
            <tr key={row} class={row === chosen.value ? "is-lit" : ""}>
              {cells.map((cell, i) => (i === 0
                ? <th key={i} scope="row"><button type="button" class="dl-link" aria-pressed={row === chosen.value} onClick={() => choose(row)}>{cell}</button></th>
                : <td key={i}>{cell}</td>))}
            </tr>
          ))}
        </tbody>
      </Table>
    </section>
  );
}
