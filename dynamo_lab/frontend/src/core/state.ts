// What all parts of one mounted UI share, and what a part is: a noun with its tab, its state, and
// what it does with the entities that are its own. State that is only a part's stands beside it.
import type { ReadonlySignal, Signal } from "@preact/signals";
import type { ComponentChildren, FunctionComponent } from "preact";
import type { Entity, Kind } from "./entities";
import type { Mask } from "./kin";
import type { Model } from "./model";
import type { DataSource } from "./source";
import type { Group, Tab } from "./tabs";
import type { ThemeChoice } from "./theme";
import type { View } from "./types.generated";

export interface Reveal {
  readonly entity: string;
  readonly tick: number; // so that revealing the same entity again scrolls again
}

/** A group with those of its views that have something to show. */
export interface ShownGroup extends Group {
  readonly isChosen: boolean;
}

/** It outlives the view: while a compile runs, views replace each other and the reader's tab, selection and scroll stay. */
export interface Store {
  readonly source: DataSource;
  readonly parts: readonly Part[];
  readonly model: ReadonlySignal<Model | null>;
  readonly tab: ReadonlySignal<Tab>;
  /** The tabs there are: those with nothing to show are left out. None where nothing was compiled. */
  readonly tabs: ReadonlySignal<readonly Tab[]>;
  /** The groups that have a tab. */
  readonly groups: ReadonlySignal<readonly ShownGroup[]>;
  readonly hover: Signal<string>;
  readonly pin: ReadonlySignal<string>;
  /** Kin of what is hovered, and of what is pinned; null for none. */
  readonly lit: ReadonlySignal<Mask | null>;
  readonly held: ReadonlySignal<Mask | null>;
  /** What the selection panel tells of: the pinned entity, else the hovered one. */
  readonly focus: ReadonlySignal<string>;
  readonly reveal: ReadonlySignal<Reveal>;
  readonly theme: Signal<ThemeChoice>;
  readonly help: Signal<boolean>;
  /** Whether the panel with all facts of what is pinned is open. */
  readonly details: Signal<boolean>;
  /** Whether the margin of the notebook's own cells shows what the code pane would. */
  readonly margin: Signal<boolean>;
  /** What was done by a key, to be told for a while; empty for nothing. */
  readonly told: Signal<string>;
  /** Whether your code stands beside the views; where there is none, or the cell above shows it, only if it was asked for. */
  readonly isCodeShown: ReadonlySignal<boolean>;
  /** Whether the reader hid it: a view that needs it leaves it out, too. */
  readonly isCodeHidden: ReadonlySignal<boolean>;
  toggleCode(): void;
  /** Shows a tab; nothing where there is none to show. */
  setTab(tab: Tab): void;
  /** Shows the view of a group that was shown last, or its first. */
  setGroup(group: Group): void;
  togglePin(entity: string): void;
  unpin(): void;
  /** Pins an entity and brings it into sight, in the tab where it lives; a line in the code, unless it was asked for there. */
  go(entity: string, isFromCode?: boolean): void;
  /** Has something done when the UI goes. */
  atEnd(act: () => void): void;
  close(): void;
}

export interface Selected {
  readonly model: Model;
  readonly entity: Entity;
  readonly mask: Mask;
}

/** What a part does with entities of a kind. */
export interface OfKind {
  /** Chooses it in the part's tab. */
  show?(store: Store, entity: Entity): void;
  /** What the selection panel tells of it. */
  Card(selected: Selected): ComponentChildren;
  /** The entity that means the same in another recording of the program; empty for none. */
  carry?(entity: Entity, from: Model, to: Model): string;
}

export interface Part {
  /** Absent for what stands beside the tabs. */
  readonly tab?: Tab;
  readonly Panel?: FunctionComponent;
  /** What stands in the place of the code while the tab is shown: the same text, so that it is not shown twice. */
  beside?(store: Store): FunctionComponent | undefined;
  readonly kinds?: Readonly<Partial<Record<Kind, OfKind>>>;
  /** Whether there is something to show; always where this is absent. */
  isThere?(store: Store): boolean;
  /** Whether its panel would be empty, where there is no count to tell. */
  isEmpty?(view: View): boolean;
  /** What stands beside the tab's name. */
  count?(view: View): number;
  /** Whether it holds kin of what is pinned: then its count is lit, as its rows are. */
  hasKin?(model: Model, held: Mask): boolean;
  /** What its panel needs of a large program and would wait for: pieces of work that are kept once they are done. */
  ahead?(model: Model): readonly (() => void)[];
  /** Another recording is shown, which numbers its nodes, kernels and sources anew. */
  follow?(store: Store, from: Model, to: Model): void;
  /** Does what a key means while the tab is shown; false for a key that is not its own. */
  onKey?(event: KeyboardEvent, store: Store): boolean;
  /** The same, whatever tab is shown. */
  onKeyAnywhere?(event: KeyboardEvent, store: Store): boolean;
}

/** State of a part: made on first need, once for each mounted UI. */
export function stateOf<State>(make: (store: Store) => State): (store: Store) => State {
  const made = new WeakMap<Store, { readonly state: State }>();
  return (store) => {
    const known = made.get(store) ?? { state: make(store) };
    made.set(store, known);
    return known.state;
  };
}
