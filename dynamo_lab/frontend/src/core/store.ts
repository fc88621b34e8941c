// Makes the state that the parts of one mounted UI share.
import { batch, computed, effect, signal } from "@preact/signals";
import { carry } from "./carry";
import { parseEntity } from "./entities";
import type { Mask } from "./kin";
import { type Model, modelOf } from "./model";
import type { DataSource } from "./source";
import type { Part, Reveal, Store } from "./state";
import { type Tab, TABS } from "./tabs";
import type { ThemeChoice } from "./theme";
import type { View } from "./types.generated";

/** The tab to begin with: where there is most to say. */
function firstTab(view: View | undefined): Tab {
  if (view?.bench || view?.bisection) return "bench"; // it was made to measure
  if (!view || view.breaks.length > 0) return "breaks";
  if (view.packages.length > 0) return "package";
  if (view.guards.recompiles.length > 0) return "guards";
  return view.graphs.length > 0 || view.frames.length === 0 ? "graphs" : "frames";
}

/** Whether it did not come to all the tabs: it failed, or Dynamo saw nothing of it. */
const isShort = ({ summary, frames, packages }: View): boolean =>
  summary.state === "done" && (summary.failure !== "" || (frames.length === 0 && packages.length === 0));

function kinOf(model: Model | null, entity: string): Mask | null {
  const vertices = entity && model ? model.kin.resolve(entity) : [];
  return model && vertices.length > 0 ? model.kin.kin(vertices) : null;
}

export function createStore(source: DataSource, parts: readonly Part[]): Store {
  const model = computed(() => {
    const view = source.recordings.view.value;
    return view ? modelOf(view) : null;
  });
  const chosenTab = signal<Tab | null>(null);
  const hover = signal("");
  const pin = signal("");
  const reveal = signal<Reveal>({ entity: "", tick: 0 });
  const endings: (() => void)[] = [];

  const partOf = (tab: Tab): Part | undefined => parts.find((part) => part.tab === tab);
  const isThere = (tab: Tab): boolean => partOf(tab)?.isThere?.(store) ?? true;
  const tabs = computed(() => {
    const there = TABS.filter(isThere);
    const view = model.value?.view;
    if (!view || !isShort(view)) return there;
    return there.filter((tab) => partOf(tab)?.count?.(view) !== 0 && !partOf(tab)?.isEmpty?.(view));
  });
  const tab = computed(() => {
    const wanted = chosenTab.value ?? firstTab(model.value?.view);
    return tabs.value.includes(wanted) ? wanted : tabs.value[0] ?? wanted;
  });
  const look = (entity: string): void => {
    reveal.value = { entity, tick: reveal.peek().tick + 1 };
  };
  const show = (text: string): void => {
    const entity = parseEntity(text);
    const part = entity && model.value ? parts.find(({ kinds }) => kinds?.[entity.kind]) : undefined;
    if (!entity || !part) return;
    part.kinds?.[entity.kind]?.show?.(store, entity);
    if (part.tab) chosenTab.value = part.tab;
  };
  const go = (entity: string): void =>
    batch(() => {
      show(entity);
      pin.value = parseEntity(entity)?.kind === "graph" ? "" : entity;
      hover.value = "";
      look(entity);
    });

  const store: Store = {
    source, parts, model, hover, pin, reveal, go,
    tab, tabs,
    lit: computed(() => kinOf(model.value, hover.value)),
    held: computed(() => kinOf(model.value, pin.value)),
    focus: computed(() => pin.value || hover.value),
    theme: signal<ThemeChoice>("auto"),
    help: signal(false),
    setTab: (next) => void (chosenTab.value = next),
    togglePin: (entity) =>
      batch(() => {
        pin.value = pin.peek() === entity ? "" : entity;
        if (pin.value) look(entity);
      }),
    unpin: () => void (pin.value = ""),
    atEnd: (act) => void endings.push(act),
    close: () => endings.splice(0).forEach((act) => act()),
  };

  // Another recording numbers its nodes, kernels and sources anew: what is chosen goes along by name.
  const follow = (from: Model, to: Model): void => {
    pin.value = carry(parts, pin.peek(), from, to);
    hover.value = "";
    for (const part of parts) part.follow?.(store, from, to);
  };
  let last: { readonly label: string; readonly model: Model } | null = null;
  store.atEnd(effect(() => {
    const now = model.value;
    const label = source.recordings.shown.value?.label ?? "";
    const before = last;
    last = now && { label, model: now };
    batch(() => {
      if (now && before && before.label !== label) follow(before.model, now);
      // A pinned entity that a newer view no longer has would light nothing and explain nothing.
      if (now && pin.value && now.kin.resolve(pin.value).length === 0) pin.value = "";
    });
  }));
  return store;
}
