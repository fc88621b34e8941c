// A scene laid out and drawn, with its legend, and the buttons that hand it out as a file.
import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { useModel, usePart, useStore } from "../../core/context";
import { bytesText, cut, messageOf } from "../../core/words";
import { Canvas, type Focus, type Point } from "../../layout/canvas";
import type { Layout } from "../../layout/layout";
import { layoutClient } from "../../layout/state";
import { Empty } from "../../ui/bits";
import { download } from "../../ui/download";
import { type GraphIndex, indicesOf } from "../graph-index";
import { parse } from "../query";
import { hitTest } from "../rows";
import { graphsState } from "../state";
import { colouring, type Colouring, modesOf } from "./colours";
import { sceneToDot, type Size } from "./dot";
import { exportDot } from "./export";
import { asPng } from "./export-png";
import { exportSvg } from "./export-svg";
import { type Label, labelOf } from "./labels";
import { Legend } from "./legend";
import { Picture } from "./picture";
import { type Box, type BoxId, nodesOf, type Scene } from "./scenes";

/** Widths of the UI font at 12 and 10.5 pixels, close enough for a box with some air. */
function sizeOf(label: Label): Size {
  const width = Math.max(label.title.length * 7.9, label.detail.length * 6.2) + 20;
  return { width: Math.max(56, width), height: label.detail ? 36 : 26 };
}

type State =
  | { readonly kind: "loading" }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "ready"; readonly scene: Scene; readonly layout: Layout; readonly shift: Point | null };

/** Where a module or body lies, closed or open; null where it is not drawn. */
function placeOf(layout: Layout, id: BoxId): Point | null {
  const placed = layout.clusters.get(id) ?? layout.boxes.get(id);
  return placed ? { x: placed.x + placed.width / 2, y: placed.y } : null;
}

/** What is asked for, or else the top of the largest frame, or the first box. */
function focusOf(layout: Layout, wanted: BoxId): Focus {
  const centre = placeOf(layout, wanted);
  if (centre) return { ...centre, isTop: false };
  const frames = [...layout.clusters].sort(([, a], [, b]) => b.width * b.height - a.width * a.height);
  const top = placeOf(layout, frames.at(0)?.[0] ?? layout.boxes.keys().next().value ?? "");
  return { ...(top ?? { x: 0, y: 0 }), isTop: true };
}

/** How far what was toggled moved: the canvas goes along, so that it stays under the pointer. */
function shiftOf(before: State, after: Layout, anchor: BoxId): Point | null {
  const from = before.kind === "ready" ? placeOf(before.layout, anchor) : null;
  const to = placeOf(after, anchor);
  return from && to ? { x: from.x - to.x, y: from.y - to.y } : null;
}

function useLayout(scene: Scene, label: (box: Box) => Label, anchor: BoxId, again: number): Signal<State> {
  const client = usePart(layoutClient);
  const state = useSignal<State>({ kind: "loading" });
  const dot = sceneToDot(scene, (box) => sizeOf(label(box)));
  useEffect(() => {
    let stale = false;
    client.layout(dot).then(
      (layout) => {
        if (!stale) state.value = { kind: "ready", scene, layout, shift: shiftOf(state.peek(), layout, anchor) };
      },
      (error: unknown) => {
        if (!stale) state.value = { kind: "failed", message: messageOf(error) };
      },
    );
    return () => {
      stale = true;
    };
  }, [dot, again]);
  return state;
}

/** The label of a box in these colours: where they show sizes, the box names them. */
export function labelIn(colours: Colouring, index: GraphIndex, box: Box): Label {
  const label = labelOf(index, box);
  if (box.node >= 0) return { title: label.title, detail: cut(colours.detailOf(index, box.node), 36) || label.detail };
  if (colours.mode !== "memory") return label;
  const size = nodesOf(index.graph, box).reduce((sum, node) => sum + (index.bytes(node) ?? 0), 0);
  return { title: label.title, detail: `${label.detail}, ${bytesText(size)}` };
}

const FILE_NAME = /[^\w.-]+/g;

interface DrawingProps {
  readonly index: GraphIndex;
  readonly scene: Scene;
  /** What was opened or closed last: it stays in its place. */
  readonly anchor?: BoxId;
  /** The box that is to be seen where not all fits. */
  readonly centre?: BoxId;
  readonly onToggle?: (ids: readonly BoxId[]) => void;
}

export function Drawing({ index, scene, anchor = "", centre = "", onToggle }: DrawingProps) {
  const store = useStore();
  const model = useModel();
  const frame = useRef<HTMLDivElement>(null);
  const again = useSignal(0);
  const { kernels } = model.view.kernels;
  const timed = model.view.bench?.kernels.nodes ?? [];
  const modes = modesOf(index.graph, kernels, timed);
  const mode = modes.includes(graphsState(store).colours.value) ? graphsState(store).colours.value : "kind";
  const colours = colouring(mode, index, kernels, timed);
  const indexOf = (graph: number): GraphIndex => indicesOf(model)(graph) ?? index;
  const label = (box: Box): Label => labelIn(colours, indexOf(box.graph), box);
  const state = useLayout(scene, label, anchor, again.value).value;
  if (state.kind === "loading") return <div class="dl-waiting" role="status">{"Loading layout\u2026"}</div>;
  if (state.kind === "failed") {
    return (
      <Empty title="No diagram">
        {state.message} The listing shows the same graph. <button type="button" class="dl-button" onClick={() => void again.value++}>Try again</button>
      </Empty>
    );
  }
  const { layout } = state;
  const terms = parse(graphsState(store).query.value);
  const isHit = typeof terms === "string" || terms.length === 0 ? undefined : hitTest(terms);
  const svg = (): string | null => {
    const drawing = frame.current?.querySelector(".dl-canvas > svg");
    const swatches = [...(frame.current?.querySelectorAll(".dl-colours .dl-filled") ?? [])];
    return drawing ? exportSvg(drawing, layout.width, layout.height, index.graph.title, colours.title, swatches) : null;
  };
  const hand = (kind: "svg" | "dot" | "png"): void => {
    const picture = svg();
    if (picture === null) return;
    const name = `${index.graph.title.replace(FILE_NAME, "_")}.${kind}`;
    if (kind === "png") return void asPng(picture).then(async (blob) => download(name, new Uint8Array(await blob.arrayBuffer())));
    const text = kind === "dot" ? exportDot(state.scene, model.graphs, indexOf) : picture;
    download(name, new TextEncoder().encode(text));
  };
  const copy = async (): Promise<void> => {
    const picture = svg();
    if (picture === null) return;
    // the clipboard is asked for in the click's own turn, and given the picture when it is made
    await navigator.clipboard.write([new ClipboardItem({ "image/png": asPng(picture), "text/plain": new Blob([picture], { type: "text/plain" }) })]);
  };
  return (
    <div class="dl-drawing" ref={frame}>
      <Legend colours={colours} modes={modes} isSearched={isHit !== undefined} onExport={hand} onCopy={copy} />
      <Canvas width={layout.width} height={layout.height} focus={focusOf(layout, centre)} shift={state.shift}>
        <Picture scene={state.scene} layout={layout} colours={colours} indexOf={indexOf} labelOf={label} isHit={isHit} onToggle={onToggle} />
      </Canvas>
    </div>
  );
}
