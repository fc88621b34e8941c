// What lies in memory over a training step: four bars, a column an operation, the life of each value.
import { useMemo } from "preact/hooks";
import { MEMORY_KINDS } from "../core/tables.generated";
import type { TrainingBar, TrainingLife, TrainingPlanView } from "../core/types.generated";
import { VirtualList } from "../ui/virtual-list";
import { grouped } from "../core/words";

const KINDS = Object.keys(MEMORY_KINDS);
const HEIGHT = 100;

export function Legend() {
  return <p class="dl-training-legend">{KINDS.map((kind) => <span key={kind}><i class={`dl-kind-${kind}`} /> {MEMORY_KINDS[kind]}</span>)}</p>;
}

function Bar({ bar, most }: { bar: TrainingBar; most: number }) {
  return (
    <>
      <span>{bar.name}</span>
      <span class="dl-training-bar" role="img" aria-label={`${bar.name}: ${bar.size}`}>
        {bar.parts.map((bytes, i) => bytes > 0 && <i key={KINDS[i]} class={`dl-kind-${KINDS[i]}`} style={{ width: `${(100 * bytes) / most}%` }} title={`${MEMORY_KINDS[KINDS[i]]}: ${grouped(bytes)} bytes`} />)}
      </span>
      <b class="dl-bytes">{bar.size}</b>
      <span class="dl-dim">{bar.told}</span>
    </>
  );
}

/** Full update, sparse, sparse and reordered, and the limit. */
export function Bars({ plan }: { plan: TrainingPlanView }) {
  const most = Math.max(1, plan.limit ?? 0, ...plan.bars.map(({ bytes }) => bytes));
  return (
    <div class="dl-training-bars">
      {plan.bars.map((bar) => <Bar key={bar.name} bar={bar} most={most} />)}
      {plan.limit !== null && (
        <>
          <span>limit</span>
          <span class="dl-training-bar"><i class="dl-training-limit" style={{ width: `${(100 * plan.limit) / most}%` }} /></span>
          <b class="dl-bytes">{plan.limit_text}</b>
          <span class="dl-dim">{plan.bytes <= plan.limit ? "held" : "not held"}</span>
        </>
      )}
    </div>
  );
}

interface ChartProps {
  readonly plan: TrainingPlanView;
  /** The bytes at the top: the same while sliders move, so that the peak is seen to. */
  readonly most: number;
  readonly at: number;
  choose(step: number): void;
}

/** A column an operation, its parts by what they are, and the limit across. */
export function Chart({ plan, most, at, choose }: ChartProps) {
  const y = (bytes: number): number => HEIGHT - (HEIGHT * bytes) / most;
  return (
    <svg class="dl-memory-chart dl-training-chart" viewBox={`0 0 ${Math.max(1, plan.steps.length)} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={`Memory during each operation, at most ${plan.size}`}>
      {plan.steps.map((step, i) => {
        let sum = 0;
        return (
          <g key={i} class={`dl-memory-step${i === plan.peak ? " is-peak" : ""}${i === at ? " is-at" : ""}`} data-entity={step.entity || undefined} onClick={() => choose(i)}>
            <title>{`operation ${i + 1}, ${step.phase}: ${step.size} while ${step.name} runs`}</title>
            <rect class="dl-memory-hit" x={i} y={0} width={1} height={HEIGHT} />
            {step.parts.map((bytes, k) => {
              sum += bytes;
              return bytes > 0 && <rect key={KINDS[k]} class={`dl-kind-${KINDS[k]}`} x={i + 0.04} y={y(sum)} width={0.92} height={(HEIGHT * bytes) / most} />;
            })}
          </g>
        );
      })}
      {plan.limit !== null && plan.limit <= most && <line class="dl-training-line" x1={0} x2={plan.steps.length} y1={y(plan.limit)} y2={y(plan.limit)} />}
    </svg>
  );
}

function Life({ life, count, at }: { life: TrainingLife; count: number; at: number }) {
  const percent = (steps: number): string => `${(100 * steps) / count}%`;
  const when = life.end > life.start ? `operations ${life.start + 1} to ${life.end + 1}` : `operation ${life.start + 1}`;
  const offset = life.offset < 0 ? "beside the arena" : `at byte ${grouped(life.offset)} of the arena`;
  return (
    <>
      <b class="dl-bytes">{life.size}</b>
      <span class="dl-life-name" title={[`${life.name}: ${life.kind}`, when, offset, life.place].filter(Boolean).join("\n")}>
        <i class={`dl-training-dot dl-kind-${life.kind}`} /> <span class="dl-name">{life.name}</span> <span class="dl-dim">{life.kind}{life.place && `, ${life.place}`}</span>
      </span>
      <span class="dl-life">
        {at >= 0 && <i class="dl-life-at" style={{ insetInlineStart: percent(at), width: percent(1) }} />}
        <i class={`dl-life-bar dl-kind-${life.kind}`} style={{ insetInlineStart: percent(life.start), width: percent(life.end - life.start + 1) }} />
      </span>
    </>
  );
}

/** All values in the order of their birth, or those that are alive at a step, the largest first. */
export function Lives({ plan, at }: { plan: TrainingPlanView; at: number }) {
  const rows = useMemo(
    () => (at < 0 ? plan.lives : plan.lives.filter((life) => life.start <= at && at <= life.end).sort((a, b) => b.bytes - a.bytes)),
    [plan, at],
  );
  return (
    <VirtualList
      label="Values" count={rows.length} row={24} rowClass={() => "dl-row-life"}
      entity={(i) => rows[i].entity}
      renderRow={(i) => <Life life={rows[i]} count={plan.steps.length} at={at} />}
    />
  );
}
