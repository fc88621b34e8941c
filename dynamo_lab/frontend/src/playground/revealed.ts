// What is chosen elsewhere is shown in the text, which stands in the place of the code pane.
import { effect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { lineToShow } from "../code/showing";
import { useModel, useStore } from "../core/context";

/** Calls `show` with the line of a source that what is pinned is shown by. */
export function useRevealed(source: number | null, show: (line: number) => void): void {
  const store = useStore();
  const model = useModel();
  useEffect(() => effect(() => {
    const { entity } = store.reveal.value;
    const shown = source === null ? undefined : model.sources.get(source);
    if (!shown || !entity || !store.pin.peek()) return;
    const line = lineToShow(model, shown, entity, model.kin.kin(model.kin.resolve(entity)));
    if (line > 0) show(line);
  }), [model, source]);
}
