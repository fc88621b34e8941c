// How to read the view that is shown: a button at the end of the views, and a paragraph that stays open.
import { useStore } from "../core/context";
import type { Store } from "../core/state";
import type { Tab } from "../core/tabs";
import type { Reading as ReadingView } from "../core/types.generated";
import { fusionState } from "../fusion/state";
import { guardsState } from "../guards/state";
import { Prose } from "../ui/bits";
import { Paragraphs } from "../ui/paragraphs";
import { readingState } from "./state";

/** The views that share a tab with another, as that tab's mode names them. */
const WITHIN: readonly string[] = ["fusion pairs", "guards shapes"];

function readingOf(store: Store): ReadingView | undefined {
  const tab = store.tab.value;
  const modes: Partial<Record<Tab, string | null>> = { fusion: fusionState(store).mode.value, guards: guardsState(store).mode.value };
  const name = WITHIN.includes(`${tab} ${modes[tab]}`) ? modes[tab] : tab;
  return store.model.value?.view.readings.find(({ view }) => view === name);
}

export function ReadingButton() {
  const store = useStore();
  const { isOpen } = readingState(store);
  const found = readingOf(store);
  if (!found) return null;
  return (
    <button
      type="button" class="dl-icon dl-reading-button" aria-expanded={isOpen.value} aria-label="How to read this view"
      title={found.sentence.replaceAll("`", "")} onClick={() => (isOpen.value = !isOpen.value)}
    >
      <i aria-hidden="true">i</i>
    </button>
  );
}

export function Reading() {
  const store = useStore();
  const found = readingState(store).isOpen.value ? readingOf(store) : undefined;
  if (!found) return null;
  return (
    <div class="dl-reading" data-own>
      <p><Prose text={found.sentence} /></p>
      <Paragraphs text={found.paragraph} />
    </div>
  );
}
