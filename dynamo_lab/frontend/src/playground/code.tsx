// Generated code, or the assembly of it, each line in the colour of the line of the text that it is there for.
import { RangeSetBuilder } from "@codemirror/state";
import { Decoration, type DecorationSet, type EditorView } from "@codemirror/view";
import { effect } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { CopyButton } from "../ui/copy/copy";
import { type Drawn, Editor } from "../ui/editor";
import type { LineOf } from "./lines";
import type { Pointed } from "./state";

type Doc = EditorView["state"]["doc"];

/** Lines that belong to a line of the text, in its colour; others as they are. */
export function tints(doc: Doc, of: LineOf, hue: Pointed["hue"], first = 1, last = doc.lines): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  for (let number = first; number <= last; number++) {
    const line = of(number);
    const degrees = line > 0 ? hue(line) : -1;
    if (degrees < 0) continue;
    const { from } = doc.line(number);
    builder.add(from, from, Decoration.line({ class: "dl-hued dl-tinted", attributes: { style: `--dl-hue: ${degrees}` } }));
  }
  return builder.finish();
}

/** Lines that belong to what is pointed at. */
export function lights(of: LineOf, hot: number, held: number): Drawn {
  if (hot <= 0 && held <= 0) return Decoration.none;
  return inSight((doc, first, last) => {
    const builder = new RangeSetBuilder<Decoration>();
    for (let number = first; number <= last; number++) {
      const line = of(number);
      const names = [...(line > 0 && line === hot ? ["is-lit"] : []), ...(line > 0 && line === held ? ["is-held"] : [])];
      if (names.length > 0) builder.add(doc.line(number).from, doc.line(number).from, Decoration.line({ class: names.join(" ") }));
    }
    return builder.finish();
  });
}

function inSight(draw: (doc: Doc, first: number, last: number) => DecorationSet): Drawn {
  return ({ state: { doc }, viewport }) => draw(doc, doc.lineAt(viewport.from).number, doc.lineAt(viewport.to).number);
}

/** Follows the pointer over an editor; a click on a line holds it, another lets it go. Returns the clean-up. */
export function point(editor: Editor, of: LineOf, pointed: Pointed): () => void {
  const { view } = editor;
  const lineAt = (event: MouseEvent): number => {
    const at = view.posAtCoords({ x: event.clientX, y: event.clientY });
    return at === null ? 0 : of(view.state.doc.lineAt(at).number);
  };
  const move = (event: MouseEvent): void => pointed.point(lineAt(event));
  const leave = (): void => pointed.point(0);
  const click = (event: MouseEvent): void => {
    const line = lineAt(event);
    pointed.hold(pointed.held.peek() === line ? 0 : line);
  };
  view.dom.addEventListener("pointermove", move);
  view.dom.addEventListener("pointerleave", leave);
  view.dom.addEventListener("click", click);
  return () => {
    view.dom.removeEventListener("pointermove", move);
    view.dom.removeEventListener("pointerleave", leave);
    view.dom.removeEventListener("click", click);
  };
}

interface TextProps {
  readonly text: string;
  readonly language: string;
  readonly label: string;
  readonly of: LineOf;
  readonly pointed: Pointed;
}

export function GroundCode({ text, language, label, of, pointed }: TextProps) {
  const parent = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | null>(null);
  const isOwn = useRef(false);
  useLayoutEffect(() => {
    if (!parent.current) return;
    const top = editor.current?.view.scrollDOM.scrollTop ?? 0;
    const made = new Editor(parent.current, { text, language, label });
    made.view.scrollDOM.scrollTop = top; // a text that changes a little stays where the reader looks
    editor.current = made;
    return () => made.destroy();
  }, [text, language, label]);
  useLayoutEffect(() => {
    const shown = editor.current;
    if (!shown) return;
    const { doc } = shown.view.state;
    shown.dress({ base: inSight((text, first, last) => tints(text, of, pointed.hue, first, last)) }); // those out of sight cost nothing
    const stopPointing = point(shown, of, pointed);
    const stopLighting = effect(() => shown.dress({ lit: lights(of, pointed.hot.value, pointed.held.value) }));
    const stopShowing = effect(() => {
      const line = pointed.held.value;
      if (line > 0 && !isOwn.current) {
        for (let number = 1; number <= doc.lines; number++) if (of(number) === line) return shown.showLine(number);
      }
      isOwn.current = false;
    });
    return () => {
      stopPointing();
      stopLighting();
      stopShowing();
    };
  }, [text, language, label, of]);
  return (
    <div class="dl-code-block">
      <div class="dl-code-host" ref={parent} onPointerDown={() => (isOwn.current = true)} />
      <CopyButton text={text} title="Copy this code" />
    </div>
  );
}
