// The whole: header, your code, the tabs, the selection.
import { useRef } from "preact/hooks";
import { useMounted, useStore } from "./core/context";
import { groupGraphs } from "./graphs/groups";
import { Artifacts } from "./traces/artifacts";
import { Autograd } from "./autograd/autograd";
import { Bench } from "./benchmarks/benchmarks";
import { Breaks } from "./breaks/breaks";
import { Code } from "./code/code";
import { Decompositions } from "./decompositions/decompositions";
import { Frames } from "./frames/frames";
import { Fusion } from "./fusion/fusion";
import { Graphs } from "./graphs/graphs";
import { Guards } from "./guards/guards";
import { Kernels } from "./kernels/kernels";
import { Lowering } from "./lowering/lowering";
import { Package } from "./packages/packages";
import { Passes } from "./passes/passes";
import { RanksBar } from "./compare/recordings";
import { Reading } from "./summary/reading";
import { Selection } from "./selection/selection";
import { Steps } from "./steps/steps";
import { Footer, Header, Notes } from "./summary/summary";
import { Timeline } from "./timings/timings";
import type { Mask } from "./core/kin";
import { type Model, type Tab, TAB_NAMES } from "./core/store";
import type { View } from "./core/types.generated";
import { Help } from "./ui/help";
import { Splitter, useHeight } from "./ui/splitter";

const PARTS = { breaks: Breaks, steps: Steps, graphs: Graphs, autograd: Autograd, decompositions: Decompositions, passes: Passes, lowering: Lowering, fusion: Fusion, kernels: Kernels, bench: Bench, package: Package, guards: Guards, frames: Frames, timeline: Timeline, artifacts: Artifacts };

/** What Dynamo captured, as the summary counts it; later stages are forms of the same graphs. */
function captured(view: View): number {
  const dynamo = view.graphs.filter((graph) => graph.stage === "dynamo" && graph.parent === null).length;
  return dynamo || groupGraphs(view.graphs).length;
}

function tabCount(view: View, tab: Tab): number | null {
  switch (tab) {
    case "breaks": return view.breaks.length;
    case "graphs": return captured(view);
    case "passes": return view.passes.pipelines.reduce((sum, one) => sum + one.did, 0);
    case "decompositions": return view.decompositions.operators.length;
    case "lowering": return view.lowering.buffers.length;
    case "kernels": return view.kernels.kernels.length;
    case "guards": return view.guards.guards.length;
    case "frames": return Math.max(0, view.frames.length - view.summary.library_frames);
    case "artifacts": return view.artifacts.length;
    case "autograd":
    case "bench":
    case "fusion":
    case "package":
    case "steps":
    case "timeline": return null;
  }
}

/** Whether a tab holds kin of what is pinned: its count is lit, as its rows are. */
function hasKin(model: Model | null, held: Mask | null, tab: Tab): boolean {
  if (!model || !held) return false;
  const { view, kin } = model;
  const isHeld = (kind: "kernel" | "break" | "frame" | "guard" | "buffer", id: number): boolean => held[kin.vertex(kind, id)] === 1;
  const isHeldNode = (graph: number, node: number): boolean => held[kin.vertex("node", graph, node)] === 1;
  switch (tab) {
    case "breaks": return view.breaks.some((item) => isHeld("break", item.id));
    case "graphs": return view.graphs.some((graph) => kin.countNodes(held, graph.id) > 0);
    case "decompositions": return view.decompositions.tops.some(({ nodes }) => nodes.some(([graph, node]) => isHeldNode(graph, node)));
    case "lowering": return view.lowering.buffers.some((buffer) => isHeld("buffer", buffer.id));
    case "kernels": return view.kernels.kernels.some((kernel) => isHeld("kernel", kernel.id));
    case "guards": return view.guards.guards.some((_, i) => isHeld("guard", i));
    case "frames": return view.frames.some((frame) => isHeld("frame", frame.id));
    case "artifacts":
    case "autograd":
    case "bench":
    case "fusion":
    case "package":
    case "passes":
    case "steps":
    case "timeline": return false;
  }
}

function Tabs() {
  const store = useStore();
  const list = useRef<HTMLDivElement>(null);
  const model = store.model.value;
  const held = store.held.value;
  const view = model?.view;
  const choose = (tab: Tab): void => {
    store.setTab(tab);
    list.current?.querySelector<HTMLElement>(`[data-tab=${tab}]`)?.focus();
  };
  // The arrows of a tab walk the tabs; whoever clicks on Steps wants them to walk the steps.
  const press = (tab: Tab): void => {
    store.setTab(tab);
    if (tab === "steps") requestAnimationFrame(() => list.current?.parentElement?.querySelector<HTMLElement>(".dl-scrub input")?.focus());
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const tabs = store.tabs.value;
    const at = tabs.indexOf(store.tab.value);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    choose(tabs[(to + tabs.length) % tabs.length]);
  };
  return (
    <div class="dl-tabs" role="tablist" aria-label="Views" ref={list} onKeyDown={onKeyDown}>
      {store.tabs.value.map((tab) => {
        const count = view ? tabCount(view, tab) : null;
        const chosen = store.tab.value === tab;
        return (
          <button
            key={tab} type="button" role="tab" data-tab={tab}
            aria-selected={chosen} tabIndex={chosen ? 0 : -1} onClick={() => press(tab)}
          >
            {TAB_NAMES[tab]}
            {count !== null && <span class={`dl-count${hasKin(model, held, tab) ? " is-kin" : ""}`}>{count}</span>}
          </button>
        );
      })}
    </div>
  );
}

function Panel() {
  const store = useStore();
  const tab = store.tab.value;
  const Part = PARTS[tab];
  return (
    <div class={`dl-panel dl-panel-${tab}`} role="tabpanel" aria-label={TAB_NAMES[tab]}>
      <Part />
    </div>
  );
}

function Waiting() {
  const { source } = useStore();
  return (
    <div class="dl-waiting" role="status">
      {source.failure.value || "Nothing recorded yet. The view fills in as the compiler works."}
    </div>
  );
}

function Body() {
  const pinned = useStore().pin.value !== "";
  return (
    <div class="dl-body">
      <section class="dl-left" aria-label="Your code">
        <Code />
      </section>
      <Splitter />
      <section class="dl-right" aria-label="What the compiler made of it">
        <Tabs />
        <Reading />
        <div class={`dl-main${pinned ? " has-pin" : ""}`}>
          <Panel />
          <Selection />
        </div>
      </section>
    </div>
  );
}

export function App() {
  const { store, host } = useMounted();
  const { frame, handle } = useHeight(host);
  const ready = store.model.value !== null;
  return (
    <div class="dl-app" ref={frame}>
      <Header />
      {ready && <RanksBar />}
      {ready && <Notes />}
      {ready ? <Body /> : <Waiting />}
      {ready && <Footer />}
      {handle}
      {store.help.value && <Help />}
    </div>
  );
}
