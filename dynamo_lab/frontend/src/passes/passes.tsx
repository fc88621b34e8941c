// Passes: every pass at the left, what the chosen one did at the right, to step through.
import { useComputed, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useModel, useStore } from "../core/context";
import type { PassView, PipelineView } from "../core/types.generated";
import { plural, seconds } from "../core/words";
import { Empty, GoTab, WhyNone } from "../ui/bits";
import { PassesOfPlan } from "../tiny/passes-of";
import { VirtualList } from "../ui/virtual-list";
import { PassDetail } from "./detail";
import { isRewrite, type PassItem, passItems, shownPass } from "./items";
import { passesState } from "./state";

function Pipeline({ pipeline }: { pipeline: PipelineView }) {
  const model = useModel();
  const colour = pipeline.graph === null ? "" : model.colourOf(pipeline.graph);
  return (
    <>
      <span class="dl-pass-title" title={pipeline.sentence}><i class={`dl-swatch ${colour}`} /> {pipeline.title}</span>
      <span class="dl-dim" title={pipeline.summary}>{plural(pipeline.did + pipeline.between, "change")}{pipeline.failed > 0 && `, ${pipeline.failed} failed`}</span>
    </>
  );
}

const SIGNS = [["removed", "\u2212", "dl-gone"], ["added", "+", "dl-new"], ["changed", "~", "dl-dim"], ["moved", "\u2195", "dl-dim"]] as const;

/** How many nodes went, came, changed and moved. */
export function Counts({ pass }: { pass: PassView }) {
  return (
    <span class="dl-pass-counts" title={pass.summary}>
      {SIGNS.map(([field, sign, tone]) => pass[field] > 0 && <span key={field} class={tone}>{sign}{pass[field]}</span>)}
    </span>
  );
}

function Row({ pass }: { pass: PassView }) {
  const quiet = isRewrite(pass) || pass.own ? "" : " dl-dim";
  return (
    <>
      <span class={`dl-pass-name${quiet}${pass.kind === "between" ? " is-between" : ""}`} style={{ paddingInlineStart: `${pass.depth * 12}px` }} title={`${pass.title}: ${pass.summary}`}>
        {pass.title}{pass.body && <span class="dl-dim"> on {pass.body}</span>}
      </span>
      {pass.state === "failed" ? <span class="dl-gone">failed</span> : pass.state === "off" ? <span class="dl-dim">off</span> : <Counts pass={pass} />}
      <span class="dl-pass-time dl-dim">{pass.kind === "between" ? "" : seconds(pass.seconds)}</span>
    </>
  );
}

export function Passes() {
  const store = useStore();
  const { view } = useModel();
  const jump = useSignal({ index: -1, tick: 0 });
  const only = passesState(store).rewritesOnly.value;
  const items = useComputed((): PassItem[] =>
    (store.model.value ? passItems(store.model.value.view.passes, passesState(store).rewritesOnly.value) : []),
  ).value;
  const { passes, pipelines } = view.passes;
  const shown = passes[shownPass(passes, passesState(store).pass.value)];
  const at = items.findIndex((item) => "pass" in item && item.pass === shown);
  useEffect(() => {
    jump.value = { index: at, tick: jump.value.tick + 1 };
  }, [shown?.id, only]);
  if (passes.length === 0) {
    return <Empty title="No passes"><WhyNone>Inductor rewrites graphs before it generates code, and it was given none here. See <GoTab tab={view.breaks.length > 0 ? "breaks" : "graphs"} />.</WhyNone></Empty>;
  }
  const ran = pipelines.reduce((sum, pipeline) => sum + pipeline.ran, 0);
  const choose = (i: number): void => {
    const item = items[i];
    if (item && "pass" in item) passesState(store).pass.value = item.pass.id;
    else if (item) passesState(store).pass.value = passes.slice(item.pipeline.first, item.pipeline.end).find(isRewrite)?.id ?? passesState(store).pass.value;
  };
  const rowClass = (i: number): string =>
    "pipeline" in items[i] ? "dl-row-pipeline" : `dl-row-pass${i === at ? " is-current" : ""}`;
  return (
    <>
      <PassesOfPlan />
      <div class="dl-kernels dl-passes">
        <div class="dl-kernel-side">
          <div class="dl-toolbar dl-kernel-count">
            <label class="dl-check"><input type="checkbox" checked={only} onChange={() => (passesState(store).rewritesOnly.value = !only)} /> only passes that did something</label>
            <span class="dl-space" />
            <span class="dl-dim">{ran} ran</span>
          </div>
          <VirtualList
            label="Passes" class="dl-pass-list" count={items.length} row={28} entity={() => ""} rowClass={rowClass} current={at} show={jump.value} onChoose={choose}
            renderRow={(i) => { const item = items[i]; return "pass" in item ? <Row pass={item.pass} /> : <Pipeline pipeline={item.pipeline} />; }}
          />
        </div>
        <div class="dl-kernel-detail">{shown && <PassDetail key={shown.id} pass={shown} pipeline={pipelines[shown.pipeline]} />}</div>
      </div>
    </>
  );
}
