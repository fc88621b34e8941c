// Generated code to read: a kernel, a wrapper.
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { CopyButton } from "./copy/copy";
import { Editor } from "./editor";

interface CodeBlockProps {
  readonly text: string;
  readonly language: string;
  readonly label: string;
  readonly line?: number | null;
  /** Lines that are told apart: the calls of a kernel in its wrapper. */
  readonly marked?: readonly number[];
  /** Long lines go on below, as of a log's records. */
  readonly isWrapped?: boolean;
  /** Shows the line again when it changes. */
  readonly tick?: number;
}

export function CodeBlock({ text, language, label, line, marked, isWrapped, tick }: CodeBlockProps) {
  const parent = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | null>(null);
  useLayoutEffect(() => {
    if (!parent.current) return;
    const made = new Editor(parent.current, { text, language, label, isWrapped });
    editor.current = made;
    return () => made.destroy();
  }, [text, language]);
  useEffect(() => {
    if (line) editor.current?.showLine(line, "start");
  }, [text, line, tick]);
  useEffect(() => editor.current?.mark(marked ?? []), [text, language, marked?.join()]);
  return (
    <div class="dl-code-block">
      <div class="dl-code-host" ref={parent} />
      <CopyButton text={text} title="Copy this code" />
    </div>
  );
}
