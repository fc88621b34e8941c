// A graph as boxes: modules open and close, or the neighbourhood of a node where there are none.
import { type Signal, useComputed, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import {
  type Box, countBoxes, countInputs, initiallyOpen, MAX_BOXES, moduleScene, neighbourhood, nodeScene,
  type Scene, shownNodes,
} from "../boxes";
import { useModel, useMounted, useStore } from "../context";
import { sceneToDot, type Size } from "../dot";
import { parseEntity } from "../entities";
import type { GraphIndex } from "../graph-index";
import { moduleNodes } from "../kin";
import type { Layout } from "../layout";
import { splitTarget } from "../target";
import { Empty, plural } from "../ui/bits";
import { Canvas, type Shift } from "../ui/canvas";
import { Modes } from "../ui/modes";
import { moduleLabel, Picture } from "../ui/picture";

/** Above this many inputs and parameters, they are left out until asked for. */
const FEW_INPUTS = 12;

const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}\u2026` : text);

/** Parameters begin alike: what tells them apart stands at the end. */
const cutFront = (text: string, most: number): string => (text.length > most ? `\u2026${text.slice(text.length - most + 1)}` : text);

export interface Label {
  readonly title: string;
  readonly detail: string;
}

export function labelOf(index: GraphIndex, box: Box): Label {
  const { graph } = index;
  if (box.module >= 0) {
    const module = graph.modules[box.module];
    const count = moduleNodes(graph, box.module).length;
    return { title: cut(moduleLabel(module), 34), detail: plural(count, "node") };
  }
  const op = index.op(box.node);
  const title = op.startsWith("call_") ? cut(splitTarget(index.target(box.node))[1], 30) : op.replace("placeholder", "input");
  // Inputs bear the long names of parameters, and there are many side by side.
  const name = op === "placeholder" ? cutFront(graph.name[box.node], 18) : graph.name[box.node];
  const detail = op === "output" ? "" : cut([name, index.value(box.node)].filter(Boolean).join(": "), 36);
  return { title, detail };
}

/** Widths of the UI font at 12 and 10.5 pixels, close enough for a box with some air. */
function sizeOf(label: Label): Size {
  const width = Math.max(label.title.length * 7.9, label.detail.length * 6.2) + 20;
  return { width: Math.max(56, width), height: label.detail ? 36 : 26 };
}

type State =
  | { readonly kind: "loading" }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "ready"; readonly scene: Scene; readonly layout: Layout; readonly shift: Shift | null };

/** Where a module lies, closed or open; null where it is not drawn. */
function placeOf(layout: Layout, module: number): { x: number; y: number } | null {
  const placed = layout.clusters.get(module) ?? layout.boxes.get(`m${module}`);
  return placed ? { x: placed.x + placed.width / 2, y: placed.y } : null;
}

/** How far a module moved: the canvas goes along, so that it stays under the pointer. */
function shiftOf(before: State, after: Layout, module: number): Shift | null {
  const from = before.kind === "ready" ? placeOf(before.layout, module) : null;
  const to = placeOf(after, module);
  return from && to ? { x: from.x - to.x, y: from.y - to.y } : null;
}

function useLayout(index: GraphIndex, scene: Scene, anchor: number, again: number): Signal<State> {
  const { layout: client } = useMounted();
  const state = useSignal<State>({ kind: "loading" });
  const dot = sceneToDot(scene, (box) => sizeOf(labelOf(index, box)));
  useEffect(() => {
    let stale = false;
    client.layout(dot).then(
      (layout) => {
        if (!stale) state.value = { kind: "ready", scene, layout, shift: shiftOf(state.peek(), layout, anchor) };
      },
      (error: unknown) => {
        if (!stale) state.value = { kind: "failed", message: error instanceof Error ? error.message : String(error) };
      },
    );
    return () => {
      stale = true;
    };
  }, [dot, again]);
  return state;
}

interface DrawingProps {
  readonly index: GraphIndex;
  readonly scene: Scene;
  /** The module that was opened or closed last: it stays in its place. */
  readonly anchor?: number;
  readonly onToggle?: (module: number) => void;
}

function Drawing({ index, scene, anchor = -1, onToggle }: DrawingProps) {
  const again = useSignal(0);
  const state = useLayout(index, scene, anchor, again.value).value;
  const retry = (): void => void again.value++;
  if (state.kind === "loading") return <div class="dl-waiting" role="status">{"Loading layout\u2026"}</div>;
  if (state.kind === "failed") {
    return (
      <Empty title="No diagram">
        {state.message} The listing shows the same graph. <button type="button" class="dl-button" onClick={retry}>Try again</button>
      </Empty>
    );
  }
  return (
    <Canvas width={state.layout.width} height={state.layout.height} shift={state.shift}>
      <Picture index={index} scene={state.scene} layout={state.layout} labelOf={(box) => labelOf(index, box)} onToggle={onToggle} />
    </Canvas>
  );
}

function Modules({ index, onAround }: { index: GraphIndex; onAround: () => void }) {
  const { pin } = useStore();
  const pinned = parseEntity(pin.value);
  const { graph } = index;
  const inputs = countInputs(graph);
  const withInputs = useSignal(inputs <= FEW_INPUTS);
  const shown = useComputed(() => shownNodes(graph, withInputs.value));
  const open = useSignal<ReadonlySet<number>>(initiallyOpen(graph, shown.value));
  const refused = useSignal("");
  const anchor = useSignal(-1);
  const scene = useComputed(() => moduleScene(graph, open.value, shown.value));

  const openOnly = (next: ReadonlySet<number>, what: string): void => {
    const count = countBoxes(graph, next, shown.value);
    refused.value = "";
    if (count > MAX_BOXES && next.size > open.value.size) {
      refused.value = `Opening ${what} would make ${count} boxes; at most ${MAX_BOXES} stay readable. Close others first, or read it in the listing.`;
    } else open.value = next;
  };
  const toggle = (module: number): void => {
    const next = new Set(open.value);
    if (!next.delete(module)) next.add(module);
    anchor.value = module;
    openOnly(next, graph.modules[module].name);
  };
  const openLevel = (): void => {
    anchor.value = -1;
    const closed = scene.value.boxes.flatMap((box) => (box.module >= 0 ? [box.module] : []));
    openOnly(new Set([...open.value, ...closed]), "all modules");
  };
  const toggleInputs = (): void => {
    const next = shownNodes(graph, !withInputs.value);
    const count = countBoxes(graph, open.value, next);
    refused.value = "";
    if (count > MAX_BOXES) refused.value = `With inputs there would be ${count} boxes; at most ${MAX_BOXES} stay readable. Close some modules first.`;
    else withInputs.value = !withInputs.value;
  };
  const closeAll = (): void => {
    anchor.value = -1;
    open.value = new Set([0]);
    refused.value = "";
  };
  return (
    <div class="dl-diagram">
      <div class="dl-toolbar">
        <span class="dl-dim">{scene.value.boxes.length === 1 ? "1 box" : `${scene.value.boxes.length} boxes`}</span>
        {graph.modules.length > 1 && (
          <>
            <button type="button" class="dl-button" onClick={openLevel} title="Open every closed module">Open level</button>
            <button type="button" class="dl-button" onClick={closeAll}>Close all</button>
          </>
        )}
        {pinned?.kind === "node" && pinned.a === graph.id && (
          <button type="button" class="dl-button" onClick={onAround} title="Its inputs and users, two steps each way">
            Around {cut(graph.name[pinned.b], 18)}
          </button>
        )}
        {inputs > 0 && (
          <label class="dl-check"><input type="checkbox" checked={withInputs.value} onChange={toggleInputs} /> inputs and parameters ({inputs})</label>
        )}
        <span class="dl-space" />
        <Modes />
      </div>
      {refused.value && <p class="dl-refused" role="alert">{refused.value}</p>}
      <Drawing index={index} scene={scene.value} anchor={anchor.value} onToggle={toggle} />
    </div>
  );
}

function Neighbourhood({ index, why, leave }: { index: GraphIndex; why: string; leave?: () => void }) {
  const store = useStore();
  const { kin } = useModel();
  const { graph } = index;
  const pinned = parseEntity(store.pin.value);
  const last = useSignal(-1);
  const held = store.held.value;
  const first = held ? kin.nodesIn(held, graph.id)[0] : undefined;
  if (pinned?.kind === "node" && pinned.a === graph.id) last.value = pinned.b;
  else if (first !== undefined && last.value < 0) last.value = first;
  const firstOperator = graph.name.findIndex((_, node) => index.op(node).startsWith("call_"));
  const centre = last.value >= 0 && last.value < index.size ? last.value : Math.max(0, firstOperator);
  const scene = nodeScene(graph, neighbourhood(graph, index.users, centre));
  return (
    <div class="dl-diagram">
      <div class="dl-toolbar">
        <p class="dl-explain">{why} Two steps up and down from <code>{graph.name[centre]}</code>; click a box to move on.</p>
        {leave && <button type="button" class="dl-button" onClick={leave}>All modules</button>}
        <span class="dl-space" />
        <Modes />
      </div>
      <Drawing index={index} scene={scene} />
    </div>
  );
}

export function Diagram({ index }: { index: GraphIndex }) {
  const { graph } = index;
  const around = useSignal(false);
  const shown = shownNodes(graph, countInputs(graph) <= FEW_INPUTS);
  const least = graph.modules.length > 0 ? countBoxes(graph, new Set([0]), shown) : Infinity;
  if (index.size === 0) return <Empty title="An empty graph">It has no nodes.</Empty>;
  if (least > MAX_BOXES) {
    const why = graph.modules.length <= 1
      ? `This graph has ${index.size} nodes and no modules to fold them into.`
      : `This graph has ${least} boxes with every module closed, more than can be read.`;
    return <Neighbourhood index={index} why={why} />;
  }
  if (around.value) return <Neighbourhood index={index} why="" leave={() => void (around.value = false)} />;
  return <Modules index={index} onAround={() => void (around.value = true)} />;
}
