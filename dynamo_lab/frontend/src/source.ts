// The one interface between the UI and its hosts: the live kernel and the offline page.
import type { ReadonlySignal } from "@preact/signals";
import type { Progress, View, WouldPass } from "./types";

export type SaveKind = "html" | "json";

export interface DataSource {
  readonly view: ReadonlySignal<View | null>;
  readonly progress: ReadonlySignal<Progress | null>;
  /** What went wrong on the way to the view, in a sentence; empty while all is well. */
  readonly failure: ReadonlySignal<string>;
  /** A heavy part of the front-end, fetched on first need. Rejects with a sentence to show. */
  asset(name: string): Promise<string>;
  /** Absent where the host cannot save. Rejects with a sentence to show. */
  readonly save?: (what: SaveKind) => Promise<void>;
  /** Absent where no kernel lives. `text` is what stands between a call's brackets. Rejects with a sentence. */
  readonly wouldPass?: (text: string, frame: number | null) => Promise<WouldPass>;
}
