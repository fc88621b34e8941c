// The roofline: each kernel against what the machine can do, as a plot and as a list.
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { useModel, useStore } from "../core/context";
import { kernelEntity } from "../core/entities";
import type { PointView, RooflineView } from "../core/types.generated";
import { Prose } from "../ui/bits";
import { VirtualList } from "../ui/virtual-list";
import { decades, plain, PLOT, radius, rateLabel, roofLine, scaleOf, toneOf } from "./roofline-scales";

const ROW = 24;
const SHOWN = 14;

/** The classes that light a kernel up with whatever else is hovered or pinned. */
function useStates(): (point: PointView) => string {
  const store = useStore();
  const { kin } = useModel();
  const [lit, held] = [store.lit.value, store.held.value];
  return ({ kernel }) => {
    const vertex = kin.vertex("kernel", kernel);
    return `${lit?.[vertex] ? " is-lit" : ""}${held?.[vertex] ? " is-held" : ""}`;
  };
}

function Axes({ view }: { view: RooflineView }) {
  const scale = scaleOf(view);
  const [bottom, right] = [PLOT.height - PLOT.bottom, PLOT.width - PLOT.right];
  return (
    <g class="dl-roof-axes">
      {decades(view.x).map((power) => {
        const x = scale.x(10 ** power);
        return <g key={power}><line x1={x} x2={x} y1={PLOT.top} y2={bottom} /><text x={x} y={bottom + 14} text-anchor="middle">{plain(power)}</text></g>;
      })}
      {decades(view.y).map((power) => {
        const y = scale.y(10 ** power);
        return <g key={power}><line x1={PLOT.left} x2={right} y1={y} y2={y} /><text x={PLOT.left - 6} y={y + 3.5} text-anchor="end">{rateLabel(power)}</text></g>;
      })}
      <text x={(PLOT.left + right) / 2} y={PLOT.height - 6} text-anchor="middle">operations a byte that is moved</text>
    </g>
  );
}

function Roofs({ view }: { view: RooflineView }) {
  const lines = view.roofs.map((roof) => ({ roof, line: roofLine(view, roof) }));
  const slope = lines.at(-1)?.line ?? [];
  const angle = slope.length > 2 ? (Math.atan2(slope[1].y - slope[0].y, slope[1].x - slope[0].x) * 180) / Math.PI : 0;
  return (
    <g class="dl-roof-limits">
      {lines.map(({ roof, line }) => {
        const end = line[line.length - 1];
        return (
          <g key={roof.dtype}>
            <polyline points={line.map(({ x, y }) => `${x},${y}`).join(" ")} />
            <text x={end.x - 2} y={end.y - 5} text-anchor="end">{`${roof.dtype} ${roof.text}`}</text>
          </g>
        );
      })}
      {slope.length > 2 && (
        <text transform={`translate(${(slope[0].x + slope[1].x) / 2} ${(slope[0].y + slope[1].y) / 2 - 6}) rotate(${angle})`} text-anchor="middle">{`memory ${view.bandwidth_text}`}</text>
      )}
    </g>
  );
}

function Plot({ view, points }: { view: RooflineView; points: readonly PointView[] }) {
  const scale = scaleOf(view);
  const stateOf = useStates();
  const placed = points.flatMap((point) => (point.intensity === null || point.rate === null ? [] : [{ point, x: scale.x(point.intensity), y: scale.y(point.rate) }]));
  const most = Math.max(...placed.map(({ point }) => point.seconds * point.calls));
  return (
    <svg class="dl-roofline" viewBox={`0 0 ${PLOT.width} ${PLOT.height}`} role="img" aria-label={`Roofline of ${placed.length} kernels: the list below has the same numbers`}>
      <Axes view={view} />
      <Roofs view={view} />
      {placed.map(({ point, x, y }, i) => (
        <circle key={i} class={`dl-roof-point dl-bound-${point.bound}${point.is_small ? " is-small" : ""}${stateOf(point)}`} cx={x} cy={y} r={radius(point, most)} data-entity={kernelEntity(point.kernel)}>
          <title>{[point.name, `${point.time} a call, ${point.work}`, point.sentence].join("\n")}</title>
        </circle>
      ))}
    </svg>
  );
}

function Row({ point }: { point: PointView }) {
  const { share } = point;
  return (
    <>
      <span class="dl-roof-name" title={`${point.name}\n${point.work}\n${point.sentence}`}>{point.name}{point.calls > 1 && <span class="dl-dim"> ×{point.calls}</span>}</span>
      <b>{point.time}</b>
      {share === null
        ? <span class="dl-dim dl-roof-why" title={point.sentence}>{point.is_small ? "too small to tell: a launch takes longer than its limit" : point.sentence}</span>
        : (
          <>
            <span class="dl-roof-share"><i class={`dl-roof-bar is-${toneOf(point)}`} style={{ width: `${Math.min(100, 100 * share)}%` }} /></span>
            <span>{point.percent}</span>
            <span class="dl-dim dl-roof-why">{`of ${point.bound}: ${point.reached}, at the limit ${point.limit}`}</span>
          </>
        )}
    </>
  );
}

export function Roofline({ view }: { view: RooflineView }) {
  const stateOf = useStates();
  const program = useSignal(0);
  const chosen = Math.min(program.value, view.programs.length - 1);
  const points = useMemo(() => view.points.filter((point) => point.program === chosen), [view, chosen]);
  const absent = points.filter((point) => point.intensity === null).length;
  return (
    <section class="dl-roofline-part" aria-label="Roofline">
      <div class="dl-toolbar">
        {view.programs.length > 1 && (
          <select class="dl-select" aria-label="Program" value={chosen} onChange={(event) => (program.value = Number(event.currentTarget.value))}>
            {view.programs.map((name, i) => <option key={i} value={i}>{name}</option>)}
          </select>
        )}
        <span class="dl-dim">{view.device}{view.measured && `, measured ${view.measured.slice(0, 10)}`}</span>
      </div>
      <div class="dl-partition">
        {view.sentences.map((text) => <p key={text}><Prose text={text} /></p>)}
      </div>
      {absent < points.length && <Plot view={view} points={points} />}
      {absent > 0 && absent < points.length && <p class="dl-roof-note dl-dim">{absent === 1 ? "One kernel computes nothing that could be counted: only the list has it." : `${absent} kernels compute nothing that could be counted: only the list has them.`}</p>}
      <div class="dl-roof-list" style={{ height: `${ROW * Math.min(SHOWN, points.length) + 2}px` }}>
        <VirtualList
          label="Kernels and their limits" count={points.length} row={ROW} entity={(i) => kernelEntity(points[i].kernel)}
          rowClass={(i) => `dl-row-roof${stateOf(points[i])}`} renderRow={(i) => <Row point={points[i]} />}
        />
      </div>
    </section>
  );
}
