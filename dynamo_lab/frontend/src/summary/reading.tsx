// How to read the view that is shown: a quiet line, which opens to a paragraph and stays open.
import { useStore } from "../core/context";
import type { Tab } from "../core/store";
import { Prose } from "../ui/bits";
import { Paragraphs } from "../ui/paragraphs";

/** The views that share a tab with another, as that tab's mode names them. */
const WITHIN: readonly string[] = ["fusion pairs", "fusion memory", "guards shapes", "bench roofline"];

export function Reading() {
  const store = useStore();
  const tab = store.tab.value;
  const modes: Partial<Record<Tab, string | null>> = { fusion: store.fusionMode.value, guards: store.guardMode.value, bench: store.benchMode.value };
  const name = WITHIN.includes(`${tab} ${modes[tab]}`) ? modes[tab] : tab;
  const found = store.model.value?.view.readings.find(({ view }) => view === name);
  if (!found) return null;
  return (
    <details class="dl-reading" data-own open={store.reading.value} onToggle={(event) => (store.reading.value = event.currentTarget.open)}>
      <summary><Prose text={found.sentence} /></summary>
      {store.reading.value && <Paragraphs text={found.paragraph} />}
    </details>
  );
}
