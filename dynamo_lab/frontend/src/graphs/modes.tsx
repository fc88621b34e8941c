// Listing or diagram: the same graph in two forms.
import { usePart } from "../core/context";
import { GRAPH_MODES, graphsState } from "./state";

export function Modes() {
  const { mode } = usePart(graphsState);
  return (
    <div class="dl-segments" role="group" aria-label="Form">
      {GRAPH_MODES.map((one) => (
        <button key={one} type="button" aria-pressed={mode.value === one} onClick={() => (mode.value = one)}>
          {one}
        </button>
      ))}
    </div>
  );
}
