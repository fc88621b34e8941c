// What is told of the chosen module: which blocks differ, its kernels, and where its nodes are.
import { useModel, usePart } from "../core/context";
import { kernelEntity, parseEntity } from "../core/entities";
import type { ModuleRow } from "../core/types.generated";
import { grouped, plural } from "../core/words";
import { Go, Prose } from "../ui/bits";
import { kernelsOf } from "./rows";
import { modulesState } from "./state";

const MOST = 8;

function Kernels({ label, ids }: { label: string; ids: readonly number[] }) {
  const { view } = useModel();
  const times = new Map(view.bench?.kernels.kernels ?? []);
  const shown = ids.slice(0, MOST).flatMap((id) => view.kernels.kernels.find((kernel) => kernel.id === id) ?? []);
  if (shown.length === 0) return null;
  return (
    <p class="dl-module-kernels">
      <span class="dl-dim">{label} </span>
      {shown.map((kernel) => (
        <Go key={kernel.id} to={kernelEntity(kernel.id)} title={kernel.name}>{kernel.title || kernel.name}{times.has(kernel.id) ? ` (${times.get(kernel.id)})` : ""}</Go>
      ))}
      {ids.length > shown.length && <span class="dl-dim">and {plural(ids.length - shown.length, "more kernel")}</span>}
    </p>
  );
}

export function Detail({ row }: { row: ModuleRow }) {
  const { view, graphTitle } = useModel();
  const { chosen } = usePart(modulesState);
  const { own, shared } = kernelsOf(view.modules, row);
  const boxes = row.entity.split(" ").filter(Boolean);
  return (
    <section class="dl-module-detail" aria-label={`Module ${row.name}`}>
      <h4><code>{row.path || row.name}</code>{row.alike > 1 ? ` \u00d7 ${grouped(row.alike)}` : ""} <span class="dl-dim">{row.type}</span></h4>
      {row.differences.length > 0 && <ul>{row.differences.map((text) => <li key={text}><Prose text={text} /></li>)}</ul>}
      {row.alike > 1 && row.differences.length === 0 && <p>All of them are equal in what was captured, and as many kernel calls compute each.</p>}
      <Kernels label="kernels of it alone:" ids={own} />
      <Kernels label="kernels that it shares with other modules:" ids={shared} />
      {own.length + shared.length === 0 && <p class="dl-dim">No kernel is tied to its nodes.</p>}
      {boxes.length > 0 && (
        <p class="dl-module-kernels">
          <span class="dl-dim">its nodes in </span>
          {boxes.slice(0, MOST).map((box) => <Go key={box} to={box}>{graphTitle(parseEntity(box)?.a ?? 0)}{row.alike > 1 ? `, ${view.graphs.find(({ id }) => id === parseEntity(box)?.a)?.modules[parseEntity(box)?.b ?? 0]?.path ?? ""}` : ""}</Go>)}
          {boxes.length > MOST && <span class="dl-dim">and {boxes.length - MOST} more</span>}
        </p>
      )}
      <button type="button" class="dl-icon dl-close" aria-label="Close the module" title="Close" data-own onClick={() => void (chosen.value = "")}>{"\u2715"}</button>
    </section>
  );
}
