// The part of fusion: operations of the scheduler are its entities.
import { useModel } from "../core/context";
import { opEntity } from "../core/entities";
import type { Part, Selected } from "../core/state";
import { Fact, KinFacts, KinGraphs, KinLines, Links } from "../selection/links";
import { Badge } from "../ui/bits";
import { Training } from "../tiny/training";
import { Fusion, FusionMemory } from "./fusion";
import { fusionState } from "./state";

function Operation({ model, entity, mask }: Selected) {
  const schedule = model.view.fusions.schedules.find((one) => one.operations.some((item) => item.id === entity.a));
  const item = schedule?.operations.find((one) => one.id === entity.a);
  if (!schedule || !item) return null;
  const others = (item.place < 0 ? [] : schedule.groups[schedule.final[item.place].group].operations).filter((i) => schedule.operations[i] !== item);
  return (
    <>
      <h3><Badge tone="plain">{item.kind}</Badge> <code>{item.name}</code> <span class="dl-dim">{item.title}, in {schedule.title}</span></h3>
      <dl>
        {item.loops && <Fact label="loops"><code>{item.loops}</code></Fact>}
        <Fact label="writes"><code>{item.buffers.join(", ")}</code></Fact>
        <Links label="fused with" to={others.map((i) => [opEntity(schedule.operations[i].id), schedule.operations[i].name])} />
        <Links label="comes after" to={item.after.map((i) => [opEntity(schedule.operations[i].id), schedule.operations[i].name])} />
        <KinLines model={model} mask={mask} />
        <KinFacts model={model} mask={mask} />
        <KinGraphs model={model} mask={mask} />
      </dl>
    </>
  );
}

export const fusionPart: Part = {
  tab: "fusion",
  Panel: Fusion,
  kinds: {
    op: {
      Card: Operation,
      show: (store, { a }) => {
        const schedules = store.model.value?.view.fusions.schedules ?? [];
        fusionState(store).shown.value = Math.max(0, schedules.findIndex((one) => one.operations.some((item) => item.id === a)));
      },
    },
  },
  isThere: ({ model }) => (model.value?.view.fusions.schedules ?? []).some((one) => one.operations.length > 0),
  follow: (store) => void (fusionState(store).shown.value = 0),
};

/** Of a planned training step its memory, else that of the kernels of a schedule. */
function Memory() {
  const { training } = useModel().view;
  return training ? <Training training={training} /> : <FusionMemory />;
}

export const memoryPart: Part = {
  tab: "memory",
  Panel: Memory,
  isThere: ({ model }) => model.value?.view.training != null || (model.value?.view.fusions.schedules ?? []).some((one) => one.memory.length > 0),
};
