// Listing or diagram: the same graph in two forms.
import { useStore } from "../core/context";

const MODES = ["listing", "diagram"] as const;

export function Modes() {
  const { graphMode } = useStore();
  return (
    <div class="dl-segments" role="group" aria-label="Form">
      {MODES.map((mode) => (
        <button key={mode} type="button" aria-pressed={graphMode.value === mode} onClick={() => (graphMode.value = mode)}>
          {mode}
        </button>
      ))}
    </div>
  );
}
