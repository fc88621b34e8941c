// What the colours of a diagram mean, which ones to choose from, and the diagram as a file.
import { useSignal } from "@preact/signals";
import { useStore } from "../../core/context";
import { graphsState } from "../state";
import type { Colouring, ColourMode } from "./colours";

const NAMES: Readonly<Record<ColourMode, string>> = {
  kind: "kind of operator", dtype: "dtype", module: "module", memory: "memory", kernel: "kernel", time: "time",
};

interface LegendProps {
  readonly colours: Colouring;
  readonly modes: readonly ColourMode[];
  readonly isSearched: boolean;
  onExport(kind: "svg" | "dot" | "png"): void;
  /** Puts the picture into the clipboard. Rejects where the browser does not let it. */
  onCopy(): Promise<void>;
}

export function Legend({ colours, modes, isSearched, onExport, onCopy }: LegendProps) {
  const store = useStore();
  const copied = useSignal("Copy");
  const copy = (): void => void onCopy().then(() => (copied.value = "Copied"), () => (copied.value = "Save it as PNG"));
  const { mode, title, entries, hidden } = colours;
  return (
    <div class="dl-colours" role="group" aria-label="Colours">
      <label class="dl-check">
        colours
        <select aria-label="What the colours mean" class="dl-select" value={mode} onChange={(event) => (graphsState(store).colours.value = event.currentTarget.value as ColourMode)}>
          {modes.map((one) => <option key={one} value={one}>{NAMES[one]}</option>)}
          {!modes.includes("time") && <option disabled>time (nodes are not timed)</option>}
        </select>
      </label>
      <span class="dl-colours-entries">
        {(mode === "kernel" || mode === "time") && <span class="dl-dim">{title}</span>}
        {entries.map(({ label, look }, i) => !hidden.has(i) && <span key={look} class="dl-colours-entry" data-entry={i}><i class={`dl-swatch dl-filled ${look}`} />{label && <bdi>{label}</bdi>}</span>)}
        <span class="dl-colours-entry"><i class="dl-swatch dl-plain-swatch" />input, output</span>
        {isSearched && <span class="dl-colours-entry"><i class="dl-swatch dl-hit-swatch" />found: <bdi>{graphsState(store).query.value}</bdi> <button type="button" class="dl-link" onClick={() => (graphsState(store).query.value = "")}>clear</button></span>}
      </span>
      <span class="dl-segments" role="group" aria-label="Save what is shown">
        <button type="button" title="Save what is shown as a picture" onClick={() => onExport("svg")}>SVG</button>
        <button type="button" title="Save what is shown as a picture of points" onClick={() => onExport("png")}>PNG</button>
        <button type="button" title="Save what is shown for Graphviz" onClick={() => onExport("dot")}>DOT</button>
        <button type="button" title="Copy what is shown as a picture" onClick={copy}><span aria-live="polite">{copied.value}</span></button>
      </span>
    </div>
  );
}
