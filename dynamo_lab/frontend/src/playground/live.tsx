// The text to write in, lowered as one types, beside what became of it: where the program lives.
import { Decoration } from "@codemirror/view";
import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { useStore } from "../core/context";
import type { PlaygroundHost } from "../core/source";
import { messages, writing } from "../kernels/edit-text";
import { Fold } from "../ui/bits";
import { CopyButton } from "../ui/copy/copy";
import { download } from "../ui/download";
import { Editor } from "../ui/editor";
import { Splitter } from "../ui/splitter";
import { ApplyDraft } from "./apply";
import { lights, point, tints } from "./code";
import { ColumnPane } from "./column";
import { asPython, carried, usedLines } from "./lines";
import { useRevealed } from "./revealed";
import { type Ground, MOST_COLUMNS, Opening } from "./state";
import { Still } from "./still";
import { messageOf } from "../core/words";

/** A page of several targets takes a few seconds to write. */
const PAGE_PATIENCE_MS = 60_000;

/** The part that lowers a text, with what was written in it: one for each recording that is shown. */
export function livePlayground(): PlaygroundHost {
  const openings = new Map<string, Opening>();
  const openingOf = (label: string): Opening => {
    const opening = openings.get(label) ?? new Opening();
    openings.set(label, opening);
    return opening;
  };
  const useOpening = (): Opening => openingOf(useStore().source.recordings.shown.value?.label ?? "");
  return {
    hasText: (label) => openingOf(label).ground.value !== null,
    Text: () => {
      const ground = useOpening().ground.value;
      return ground && <Live key={ground.of} ground={ground} part="text" />;
    },
    Panel: () => {
      const { source: { ask, recordings }, isCodeShown } = useStore();
      const opening = useOpening();
      useEffect(() => {
        if (ask) void opening.open(ask, recordings.shown.peek()?.label ?? "");
      }, [opening]);
      const ground = opening.ground.value;
      if (opening.refusal.value) return <Still why={opening.refusal.value} />;
      if (!ground) return <p class="dl-ground-note dl-dim" role="status">Asking the kernel for the text. It answers after the cell that it runs.</p>;
      return <Live key={ground.of} ground={ground} part={isCodeShown.value ? "columns" : "all"} />;
    },
  };
}

/** The text stands in the place of the code pane where that is shown, else with the columns. */
function Live({ ground, part }: { ground: Ground; part: "all" | "text" | "columns" }) {
  return (
    <div class={`dl-ground is-${part}`} data-own>
      {part !== "columns" && (
        <div class="dl-ground-text" role="group" aria-label="Your text">
          <Tools ground={ground} />
          <Text ground={ground} />
          <Foot ground={ground} />
        </div>
      )}
      {part === "all" && <Splitter name="playground" label="Width of the text" variable="--dl-ground" start={32} />}
      {part !== "text" && <Columns ground={ground} />}
    </div>
  );
}

function Columns({ ground }: { ground: Ground }) {
  useEffect(() => {
    ground.lower();
    return () => ground.close();
  }, [ground]);
  const columns = ground.columns.value;
  return (
    <div class={`dl-ground-columns is-${columns.length}`}>
      {columns.map((column) => <ColumnPane key={column.id} ground={ground} column={column} isOnly={columns.length === 1} />)}
    </div>
  );
}

function Tools({ ground }: { ground: Ground }) {
  const said = useSignal("");
  const last = ground.columns.value[0]?.last.value;
  const isFull = ground.columns.value.length >= MOST_COLUMNS;
  const why = isFull ? `At most ${MOST_COLUMNS} columns` : "";
  const save = (): void => {
    said.value = "Writing the page";
    ground.ask("draft_page", { of: ground.of, columns: ground.columns.peek().map(({ id }) => id) }, PAGE_PATIENCE_MS).then(
      ({ name, html }) => {
        download(name, new TextEncoder().encode(html));
        said.value = `${name} is in your downloads`;
      },
      (error: unknown) => (said.value = messageOf(error)),
    );
  };
  return (
    <div class="dl-toolbar dl-ground-tools">
      <button type="button" class="dl-button" disabled={isFull} title={why || "The same text for another target, backend or option beside it"} onClick={() => ground.add(null)}>Add a column</button>
      <button type="button" class="dl-button" disabled={isFull} title={why || "What this text becomes stays beside what you make of it"} onClick={() => ground.add(ground.text.peek())}>Keep this version</button>
      <button type="button" class="dl-button" disabled={!ground.isChanged.value} onClick={() => ground.put(ground.start.text)}>Back to the original</button>
      <button type="button" class="dl-button" title="One page of all that is shown here, which works offline" onClick={save}>Save page</button>
      <ApplyDraft edit={last?.view.edit ?? null} isCurrent={last?.text === ground.text.value} of={ground.of} />
      <span class="dl-dim" role="status">{said.value}</span>
    </div>
  );
}

function Text({ ground }: { ground: Ground }) {
  const parent = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | null>(null);
  const isOwn = useRef(false);
  const column = ground.columns.value[0];
  useLayoutEffect(() => {
    if (!parent.current) return;
    const extra = writing((text) => ground.write(text), () => ground.lower());
    const made = new Editor(parent.current, { text: ground.text.peek(), language: "python", label: `Code of ${ground.start.name}`, writing: extra });
    editor.current = made;
    return () => made.destroy();
  }, [ground]);
  useLayoutEffect(() => editor.current?.replace(ground.text.peek()), [ground.replaced.value]);
  const shown = column?.shown.value ?? null;
  const last = column?.last.value ?? null;
  useLayoutEffect(() => {
    const made = editor.current;
    if (!made || !shown || shown.text !== ground.text.peek()) return;
    const { doc } = made.view.state;
    const used = usedLines(shown.view.kernels.kernels, shown.view.source);
    made.dress({ base: tints(doc, (line) => (used.has(line) ? line : 0), ground.hue) });
  }, [shown, ground.replaced.value]);
  useLayoutEffect(() => {
    const made = editor.current;
    if (!made || !last) return;
    const { doc } = made.view.state;
    const isSame = last.text === ground.text.peek();
    // what is told, or that lines do not run: a text that is told of is not dimmed as well
    const told = isSame ? last.view.diagnostics : [];
    made.dress({ step: told.length > 0 ? messages(doc, told) : idleLines(doc, isSame ? last.view.idle : []) });
  }, [last, ground.replaced.value]);
  useLayoutEffect(() => {
    const made = editor.current;
    if (!made) return;
    const own = (line: number): number => line;
    return point(made, own, ground);
  }, [ground]);
  const [hot, held] = [ground.hot.value, ground.held.value];
  useLayoutEffect(() => {
    const made = editor.current;
    if (!made) return;
    made.dress({ lit: lights((line) => line, hot, held) });
    if (held > 0 && !isOwn.current) made.showLine(held);
    isOwn.current = false;
  }, [hot, held]);
  const { source, above, text } = ground.start;
  useRevealed(source, (line) => (ground.held.value = Math.max(0, carried(text, ground.text.peek())(line - above))));
  return (
    <div class="dl-code-block" data-lm-suppress-shortcuts="true" onPointerDown={() => (isOwn.current = true)}>
      <div class="dl-code-host" ref={parent} />
      <CopyButton text={() => ground.text.peek()} title="Copy this text" />
    </div>
  );
}

function idleLines(doc: Editor["view"]["state"]["doc"], idle: readonly number[]) {
  const sign = Decoration.line({ class: "dl-idle", attributes: { title: "This line does not run here" } });
  return Decoration.set(idle.filter((line) => line <= doc.lines).map((line) => sign.range(doc.line(line).from)));
}

function Foot({ ground }: { ground: Ground }) {
  const [column] = ground.columns.value;
  return (
    <div class="dl-ground-foot">
      <Fold label="What runs here, and how to do it in Python">
        <p class="dl-dim">{ground.start.reading}</p>
        {ground.start.inputs && <p class="dl-dim">Inputs: <code>{ground.start.inputs}</code></p>}
        {column && <p><code>{asPython(column.how.value)}</code></p>}
      </Fold>
    </div>
  );
}
