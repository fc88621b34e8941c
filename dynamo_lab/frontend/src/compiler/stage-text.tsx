// The text of a stage: each line in the colour of the reader's line it is there for, lit with its kin.
import { RangeSetBuilder } from "@codemirror/state";
import { Decoration, type DecorationSet } from "@codemirror/view";
import { effect } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { useModel, useStore } from "../core/context";
import { nodeEntity, parseEntity } from "../core/entities";
import type { Mask } from "../core/kin";
import type { Model } from "../core/model";
import type { StageGraph } from "../core/types.generated";
import { Editor } from "../ui/editor";
import type { StageLine } from "./items";

interface StageTextProps {
  readonly graph: StageGraph;
  readonly lines: readonly StageLine[];
  readonly language: string;
  readonly label: string;
  /** The operator whose lines stand out. */
  readonly node: number;
}

/** The hue of a node: that of the reader's line that it is of. */
function hueOf(graph: StageGraph, node: number, model: Model): number {
  const entity = parseEntity(graph.operators.find((one) => one.node === node)?.entity ?? "");
  return entity?.kind === "line" ? model.hue([entity.a, entity.b]) : -1;
}

function base(doc: Editor["view"]["state"]["doc"], { graph, lines, node }: StageTextProps, model: Model): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  lines.forEach(([, nodes], i) => {
    if (nodes.length === 0 || i >= doc.lines) return;
    const hue = hueOf(graph, nodes[0], model);
    const attributes = { "data-entity": nodes.map((one) => nodeEntity(graph.graph, one)).join(" "), ...(hue >= 0 && { style: `--dl-hue: ${hue}` }) };
    const own = nodes.includes(node) ? " dl-stage-own" : "";
    const { from } = doc.line(i + 1);
    builder.add(from, from, Decoration.line({ class: `${hue >= 0 ? "dl-hued dl-tinted" : "dl-untied"}${own}`, attributes }));
  });
  return builder.finish();
}

function lit(doc: Editor["view"]["state"]["doc"], { graph, lines }: StageTextProps, { kin }: Model, masks: readonly (readonly [Mask | null, string])[]): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  lines.forEach(([, nodes], i) => {
    if (i >= doc.lines) return;
    const names = masks.filter(([mask]) => mask && nodes.some((one) => mask[kin.vertex("node", graph.graph, one)])).map(([, name]) => name);
    const { from } = doc.line(i + 1);
    if (names.length > 0) builder.add(from, from, Decoration.line({ class: names.join(" ") }));
  });
  return builder.finish();
}

export function StageText(props: StageTextProps) {
  const store = useStore();
  const model = useModel();
  const parent = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | null>(null);
  const text = props.lines.map(([line]) => line).join("\n");
  useLayoutEffect(() => {
    if (!parent.current) return;
    const made = new Editor(parent.current, { text, language: props.language, label: props.label });
    editor.current = made;
    return () => made.destroy();
  }, [text, props.language]);
  useLayoutEffect(() => {
    const shown = editor.current;
    if (!shown) return;
    const { doc } = shown.view.state;
    shown.dress({ base: base(doc, props, model) });
    const first = props.lines.findIndex(([, nodes]) => nodes.includes(props.node));
    // Its own box alone: what is around it stays where it is.
    const box = parent.current;
    if (box) box.scrollTop = first > 3 ? shown.view.lineBlockAt(doc.line(first - 1).from).top : 0;
    return effect(() => shown.dress({ lit: lit(doc, props, model, [[store.lit.value, "is-lit"], [store.held.value, "is-held"]]) }));
  }, [text, props.language, model, props.node]);
  return <div class="dl-code-block dl-stage-text" ref={parent} />;
}
