// A mesh of ranks as a grid. Point at a rank: the groups that it is in are lit, one dimension in each colour.
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { isFinger } from "../core/pointer";
import type { MeshView } from "../core/types.generated";
import { CodeBlock } from "../ui/code-block";

/** The colours of the first dimensions, as CSS classes of regions. */
const COLOURS = ["dl-r0", "dl-r1", "dl-r2", "dl-r3"];

/** Of each rank, the ranks of its group in each dimension. */
function partnersOf(mesh: MeshView): ReadonlyMap<number, readonly ReadonlySet<number>[]> {
  const found = new Map<number, ReadonlySet<number>[]>(mesh.ranks.map((rank) => [rank, []]));
  for (const { groups } of mesh.dimensions) {
    for (const group of groups) {
      const members = new Set(group);
      for (const rank of group) found.get(rank)?.push(members);
    }
  }
  return found;
}

export function Mesh({ mesh }: { mesh: MeshView }) {
  const at = useSignal<number | null>(null);
  const only = useSignal<number | null>(null);
  const partners = useMemo(() => partnersOf(mesh), [mesh]);
  const across = mesh.shape[mesh.shape.length - 1] ?? 1;
  const own = at.value === null ? undefined : partners.get(at.value);
  const classOf = (rank: number): string => {
    if (rank === at.value) return "is-at";
    const dimension = own?.findIndex((members, i) => (only.value === null || only.value === i) && members.has(rank)) ?? -1;
    return dimension < 0 ? "" : `is-partner ${COLOURS[dimension % COLOURS.length]}`;
  };
  const told = own && at.value !== null
    ? mesh.dimensions.map(({ name }, i) => `${name}: ${[...own[i]].slice(0, 12).join(", ")}${own[i].size > 12 ? ", \u2026" : ""}`).join(" \u00b7 ")
    : "Point at a rank: those that it communicates with are lit.";
  return (
    <section class="dl-mesh">
      <h3>Mesh {mesh.title}</h3>
      <p>{mesh.sentence}</p>
      <div class="dl-segments" role="group" aria-label="Dimension whose groups are lit">
        <button type="button" aria-pressed={only.value === null} onClick={() => { only.value = null; }}>All dimensions</button>
        {mesh.dimensions.map(({ name }, i) => <button key={name} type="button" class={COLOURS[i % COLOURS.length]} aria-pressed={only.value === i} onClick={() => { only.value = i; }}>{name}</button>)}
      </div>
      <p class="dl-dim" aria-live="polite">{at.value === null ? told : `Rank ${at.value}. ${told}`}</p>
      <div class="dl-mesh-grid" data-own style={{ gridTemplateColumns: `repeat(${across}, minmax(34px, max-content))` }} onPointerLeave={(event) => { if (!isFinger(event)) at.value = null; }}>
        {mesh.ranks.map((rank) => <button key={rank} type="button" class={classOf(rank)} onPointerEnter={() => { at.value = rank; }} onFocus={() => { at.value = rank; }}>{rank}</button>)}
      </div>
      <div class="dl-mesh-code">
        <div><p class="dl-dim">As a mesh</p><CodeBlock text={mesh.short} language="python" label="How a program makes the mesh" /></div>
        <div><p class="dl-dim">The same groups without</p><CodeBlock text={mesh.long} language="python" label="How to make its groups without a mesh" /></div>
      </div>
    </section>
  );
}
