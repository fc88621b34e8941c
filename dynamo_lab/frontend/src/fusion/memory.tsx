// Memory: what is allocated at each call, with its peak, and the life of each buffer as a bar.
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { useModel, useStore } from "../core/context";
import { kernelEntity, opEntity } from "../core/entities";
import { grouped, plural } from "../core/words";
import type { LifeView, MemoryView, ScheduleView } from "../core/types.generated";
import { Prose } from "../ui/bits";
import { VirtualList } from "../ui/virtual-list";

const HEIGHT = 100;

interface ChartProps {
  readonly plan: MemoryView;
  readonly at: number;
  choose(step: number): void;
}

/** A column a call; the highest is the peak. */
function Chart({ plan, at, choose }: ChartProps) {
  const store = useStore();
  const { kin } = useModel();
  const most = Math.max(1, plan.peak_bytes);
  const isKin = (mask: Uint8Array | null, kernel: number | null): boolean => mask !== null && kernel !== null && mask[kin.vertex("kernel", kernel)] === 1;
  return (
    <svg class="dl-memory-chart" viewBox={`0 0 ${plan.steps.length} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label="Memory at each call">
      {plan.steps.map((step, i) => {
        const height = (HEIGHT * step.bytes) / most;
        const state = `${i === plan.peak ? " is-peak" : ""}${i === at ? " is-at" : ""}${isKin(store.lit.value, step.kernel) ? " is-lit" : ""}${isKin(store.held.value, step.kernel) ? " is-held" : ""}`;
        return (
          <g key={i} class={`dl-memory-step${state}`} data-entity={step.operations.length === 1 ? opEntity(step.operations[0]) : step.kernel === null ? undefined : kernelEntity(step.kernel)} onClick={() => choose(i)}>
            <title>{`call ${i + 1}: ${step.size} while ${step.name} runs`}</title>
            <rect class="dl-memory-hit" x={i} y={0} width={1} height={HEIGHT} />
            <rect class="dl-memory-bar" x={i + 0.04} y={HEIGHT - height} width={0.92} height={height} />
          </g>
        );
      })}
    </svg>
  );
}

/** From its first call to the last that reads it, and pale as long as its memory is kept after that. */
function Bar({ life, count, at }: { life: LifeView; count: number; at: number }) {
  const percent = (steps: number): string => `${(100 * steps) / count}%`;
  const used = life.role === "output" || life.role === "donated" ? life.end : Math.min(life.end, Math.max(life.start, life.last_read));
  return (
    <span class="dl-life">
      {at >= 0 && <i class="dl-life-at" style={{ insetInlineStart: percent(at), width: percent(1) }} />}
      {life.start >= 0 && (
        <>
          <i class={`dl-life-bar dl-role-${life.role}`} style={{ insetInlineStart: percent(life.start), width: percent(used - life.start + 1) }} />
          {life.end > used && <i class={`dl-life-bar is-kept dl-role-${life.role}`} style={{ insetInlineStart: percent(used + 1), width: percent(life.end - used) }} />}
        </>
      )}
    </span>
  );
}

function Life({ life, count, at }: { life: LifeView; count: number; at: number }) {
  const where = life.start < 0 ? "in no call" : life.end > life.start ? `calls ${life.start + 1} to ${life.end + 1}` : `call ${life.start + 1}`;
  return (
    <>
      <b class="dl-bytes">{life.size}</b>
      <span class="dl-life-name" title={[life.value ? `${life.name}: ${life.value}` : life.name, where, life.note].filter(Boolean).join("\n")}>
        <span class="dl-name">{life.name}</span>{life.value && <span class="dl-value">: {life.value}</span>}{life.note && <span class="dl-dim"> {life.note}</span>}
      </span>
      <Bar life={life} count={count} at={at} />
    </>
  );
}

/** What the colours of the bars mean, of those that there are; of other buffers they tell when they are in use. */
const ROLES: Readonly<Record<string, string>> = { output: "returned", donated: "saved by the forward, may be overwritten" };

function Legend({ lives }: { lives: readonly LifeView[] }) {
  const roles = Object.keys(ROLES).filter((role) => lives.some((life) => life.role === role));
  const isKept = lives.some((life) => !["output", "donated"].includes(life.role) && life.end > life.last_read);
  const told = [["", "in use"], ...roles.map((role) => [role, ROLES[role]])];
  return (
    <p class="dl-life-legend dl-dim">
      <span><i class="dl-memory-key" />above: what is allocated at each call</span>
      <span><i class="dl-memory-key is-peak" />the most</span>
      {told.map(([role, text]) => <span key={text}><i class={`dl-life-bar${role && ` dl-role-${role}`}`} />{text}</span>)}
      {isKept && <span><i class="dl-life-bar is-kept" />kept, and not read any more</span>}
    </p>
  );
}

function Plan({ plan }: { plan: MemoryView }) {
  const store = useStore();
  const { kin } = useModel();
  const at = useSignal(-1);
  const rows = useMemo(
    () => (at.value < 0 ? [...plan.lives, ...plan.kernel_internal] : plan.lives.filter((life) => life.start <= at.value && at.value <= life.end).sort((a, b) => b.bytes - a.bytes)),
    [plan, at.value],
  );
  const inside = plan.kernel_internal.length > 0 ? `, and ${grouped(plan.kernel_internal.length)} that only kernels see,` : "";
  const choose = (step: number): void => void (at.value = at.peek() === step ? -1 : step);
  const state = (mask: Uint8Array | null, name: string, life: LifeView): string => (mask && life.operation >= 0 && mask[kin.vertex("op", life.operation)] ? ` ${name}` : "");
  return (
    <>
      <div class="dl-partition">{plan.sentences.map((text) => <p key={text}><Prose text={text} /></p>)}</div>
      <div class="dl-memory-head">
        <Chart plan={plan} at={at.value} choose={choose} />
        <div class="dl-toolbar">
          <button type="button" class="dl-button" aria-pressed={at.value === plan.peak} onClick={() => choose(plan.peak)}>What is alive at the peak</button>
          {at.value >= 0 && <button type="button" class="dl-button" onClick={() => (at.value = -1)}>Show all</button>}
          <span class="dl-dim" role="status">{at.value < 0 ? `${plural(plan.lives.length, "buffer")}${inside} over ${plural(plan.steps.length, "call")}` : `${rows.length} buffers at call ${at.value + 1}, ${plan.steps[at.value].name}: ${plan.steps[at.value].size}`}</span>
        </div>
        <Legend lives={plan.lives} />
      </div>
      <VirtualList
        label="Buffers" count={rows.length} row={24} entity={(i) => (rows[i].operation < 0 ? "" : opEntity(rows[i].operation))}
        rowClass={(i) => `dl-row-life${state(store.lit.value, "is-lit", rows[i])}${state(store.held.value, "is-held", rows[i])}`}
        renderRow={(i) => <Life life={rows[i]} count={Math.max(1, plan.steps.length)} at={at.value} />}
      />
    </>
  );
}

export function Memory({ schedule }: { schedule: ScheduleView }) {
  const part = useSignal(0);
  const plan = schedule.memory[part.value] ?? schedule.memory[0];
  return (
    <>
      {schedule.memory.length > 1 && (
        <div class="dl-toolbar">
          <select class="dl-select" aria-label="Part" value={part.value} onChange={(event) => (part.value = Number(event.currentTarget.value))}>
            {schedule.memory.map((_, i) => <option key={i} value={i}>part {i + 1} of {schedule.memory.length}</option>)}
          </select>
        </div>
      )}
      {plan && <Plan key={part.value} plan={plan} />}
    </>
  );
}
