// How to read the view that is shown: a quiet line, which opens to a paragraph and stays open.
import { benchmarksState } from "../benchmarks/state";
import { useStore } from "../core/context";
import type { Tab } from "../core/tabs";
import { fusionState } from "../fusion/state";
import { guardsState } from "../guards/state";
import { Prose } from "../ui/bits";
import { Paragraphs } from "../ui/paragraphs";
import { readingState } from "./state";

/** The views that share a tab with another, as that tab's mode names them. */
const WITHIN: readonly string[] = ["fusion pairs", "fusion memory", "guards shapes", "bench roofline"];

export function Reading() {
  const store = useStore();
  const tab = store.tab.value;
  const modes: Partial<Record<Tab, string | null>> = { fusion: fusionState(store).mode.value, guards: guardsState(store).mode.value, bench: benchmarksState(store).mode.value };
  const name = WITHIN.includes(`${tab} ${modes[tab]}`) ? modes[tab] : tab;
  const found = store.model.value?.view.readings.find(({ view }) => view === name);
  if (!found) return null;
  return (
    <details class="dl-reading" data-own open={readingState(store).isOpen.value} onToggle={(event) => (readingState(store).isOpen.value = event.currentTarget.open)}>
      <summary><Prose text={found.sentence} /></summary>
      {readingState(store).isOpen.value && <Paragraphs text={found.paragraph} />}
    </details>
  );
}
