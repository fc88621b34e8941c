// What became of the text, to read, where nothing lowers: a page, or a recording without its program. The text is the
// code pane's, which links the lines here with all others.
import { computed, useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { lineToShow } from "../code/showing";
import { useModel, useStore } from "../core/context";
import { lineEntity } from "../core/entities";
import type { Mask } from "../core/kin";
import type { Model } from "../core/model";
import type { Store } from "../core/state";
import { LINE, type SourceView, type View } from "../core/types.generated";
import { carried, shownKernel } from "./lines";
import { Panes } from "./panes";
import type { Pointed } from "./state";

const PAGE = "Read only: there is no kernel here that could lower a changed text. In a notebook, while the program lives, your code is written in here.";
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

/** Lines are pointed at and held as the code pane has it. */
function pointedIn(store: Store, model: Model, source: SourceView | undefined): Pointed {
  const lineOf = (entity: string, mask: Mask | null): number => (source && mask ? Math.max(0, lineToShow(model, source, entity, mask)) : 0);
  const entityOf = (line: number): string => (source && line > 0 ? lineEntity(source.id, line) : "");
  return {
    hot: computed(() => lineOf(store.hover.value, store.lit.value)),
    held: computed(() => lineOf(store.pin.value, store.held.value)),
    hue: (line) => (source ? model.hue([source.id, line]) : -1),
    point: (line) => void (store.hover.value = entityOf(line)),
    hold: (line) => (line > 0 ? store.togglePin(entityOf(line)) : store.unpin()),
  };
}

export function Still({ why = PAGE }: { why?: string }) {
  const store = useStore();
  const model = useModel();
  const sides = useSides();
  const source = model.view.sources[model.view.main_source];
  const pointed = useMemo(() => pointedIn(store, model, source), [store, model, source]);
  const text = useMemo(() => textOf(source), [source]);
  return (
    <div class="dl-ground is-columns" data-own>
      <p class="dl-ground-note dl-dim" role="note">{why}</p>
      <div class={`dl-ground-columns is-${sides.length}`}>
        {sides.map((side) => <Column key={side.label} side={side} text={text} pointed={pointed} isOnly={sides.length === 1} />)}
      </div>
    </div>
  );
}

function Column({ side: { label, view }, text, pointed, isOnly }: { side: Side; text: string; pointed: Pointed; isOnly: boolean }) {
  const chosen = useSignal("");
  const level = useSignal("");
  const source = view.sources[view.main_source];
  const own = useMemo(() => textOf(source), [source]);
  // line numbers of a library's excerpts are no places in its text: only whole texts are carried over
  const carry = useMemo(() => (own === text ? (line: number) => line : carried(own, text)), [own, text]);
  const { kernels, assemblies } = view.kernels;
  const kernel = shownKernel(kernels, chosen.value);
  const assembly = assemblies.find((one) => one.kernel === kernel?.id);
  return (
    <section class="dl-ground-column" aria-label={label}>
      {!isOnly && <div class="dl-toolbar"><b class="dl-ellipsis">{label}</b></div>}
      <Panes
        kernels={kernels} kernel={kernel} source={source?.id ?? null} carry={carry} pointed={pointed} level={level.value} assembly={assembly}
        choose={(name) => (chosen.value = name)} chooseLevel={(name) => (level.value = name)}
      />
    </section>
  );
}
