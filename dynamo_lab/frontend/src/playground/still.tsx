// The same area to read, where nothing lowers: a page, or a recording without its program.
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { useModel, usePart, useStore } from "../core/context";
import { modelOf } from "../core/model";
import { type SourceView, LINE, type View } from "../core/types.generated";
import { Editor } from "../ui/editor";
import { lights, point, tintsInSight } from "./code";
import { carried, shownKernel, usedLines } from "./lines";
import { Panes } from "./panes";
import { useRevealed } from "./revealed";
import { type GroundPart, type Pointed, pointedState } from "./state";

const PAGE = "Read only: this page has no kernel that could lower a changed text. In a notebook, where the program lives, this area is for writing.";
const MOST = 4;

const textOf = (source: SourceView | undefined): string => (source?.lines ?? []).map((line) => line[LINE.text]).join("\n");

interface Side {
  readonly label: string;
  readonly view: View;
}

/** Recordings of changed texts are shown beside each other; of others the one that is chosen. */
function useSides(): readonly Side[] {
  const { recordings } = useStore().source;
  const shown = recordings.shown.value;
  const drafts = recordings.entries.value.filter(({ view }) => view.is_draft);
  if (shown?.view.is_draft && drafts.length > 1) return drafts.slice(0, MOST);
  return shown ? [shown] : [];
}

export function Still({ part, why = PAGE }: { part: GroundPart; why?: string }) {
  const { view } = useModel();
  const pointed = usePart(pointedState);
  const sides = useSides();
  const source = view.sources[view.main_source];
  return (
    <div class={`dl-ground is-still is-${part}`} data-own>
      {part !== "columns" && (
        <div class="dl-ground-text" role="group" aria-label="Your text">
          <p class="dl-ground-note dl-dim" role="note">{why}</p>
          <Text source={source} view={view} pointed={pointed} />
        </div>
      )}
      {part === "all" && <span />}
      {part !== "text" && (
        <div class={`dl-ground-columns is-${sides.length}`}>
          {sides.map((side) => <Column key={side.label} side={side} text={textOf(source)} pointed={pointed} isOnly={sides.length === 1} />)}
        </div>
      )}
    </div>
  );
}

function Text({ source, view, pointed }: { source: SourceView | undefined; view: View; pointed: Pointed }) {
  const parent = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | null>(null);
  const numbers = useMemo(() => (source?.lines ?? []).map((line) => line[LINE.number]), [source]);
  useLayoutEffect(() => {
    if (!parent.current) return;
    const made = new Editor(parent.current, { text: textOf(source), language: "python", label: "Code, to read", number: (line) => numbers[line - 1] ?? line });
    editor.current = made;
    const used = usedLines(view.kernels.kernels, source?.id ?? null);
    made.dress({ base: tintsInSight((line) => (used.has(numbers[line - 1]) ? numbers[line - 1] : 0)) });
    const stop = point(made, (line) => numbers[line - 1] ?? 0, pointed);
    return () => (stop(), made.destroy());
  }, [source]);
  const [hot, held] = [pointed.hot.value, pointed.held.value];
  useLayoutEffect(() => editor.current?.dress({ lit: lights((line) => numbers[line - 1] ?? 0, hot, held) }), [hot, held, numbers]);
  useLayoutEffect(() => editor.current?.showLine(numbers.indexOf(held) + 1), [held, numbers]);
  useRevealed(source?.id ?? null, (line) => (pointed.held.value = line));
  return <div class="dl-code-block" ref={parent} />;
}

function Column({ side, text, pointed, isOnly }: { side: Side; text: string; pointed: Pointed; isOnly: boolean }) {
  const { view } = side;
  const chosen = useSignal("");
  const level = useSignal("");
  const source = modelOf(view).view.sources[view.main_source];
  const own = textOf(source);
  // line numbers of a library's excerpts are no places in its text: only whole texts are carried over
  const carry = useMemo(() => (own === text ? (line: number) => line : carried(own, text)), [own, text]);
  const { kernels, assemblies } = view.kernels;
  const kernel = shownKernel(kernels, chosen.value);
  const assembly = assemblies.find((one) => one.kernel === kernel?.id);
  return (
    <section class="dl-ground-column" aria-label={side.label}>
      {!isOnly && <div class="dl-toolbar"><b class="dl-ellipsis">{side.label}</b></div>}
      <Panes
        kernels={kernels} kernel={kernel} source={source?.id ?? null} carry={carry} pointed={pointed} level={level.value} assembly={assembly}
        choose={(name) => (chosen.value = name)} chooseLevel={(name) => (level.value = name)}
      />
    </section>
  );
}
