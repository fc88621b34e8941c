// Makes the state that the parts of one mounted UI share.
import { batch, computed, effect, signal } from "@preact/signals";
import { carry } from "./carry";
import { parseEntity } from "./entities";
import type { Mask } from "./kin";
import { type Model, modelOf } from "./model";
import type { DataSource } from "./source";
import type { Part, Reveal, Store } from "./state";
import { GROUPS, type Tab, TABS } from "./tabs";
import type { ThemeChoice } from "./theme";
import type { View } from "./types.generated";

/** The tab to begin with: the answer, unless it was made to measure or is a package. */
function firstTab(view: View | undefined): Tab {
  if (view?.is_draft) return "playground";
  if (view?.bench || view?.bisection) return "bench";
  return view && view.packages.length > 0 ? "package" : "overview";
}

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
  /** Empty views are not offered: a reader who opens one learns nothing there. */
  const isEmpty = (part: Part, view: View): boolean => part.isEmpty?.(view) ?? part.count?.(view) === 0;
  const tabs = computed(() => {
    const view = model.value?.view;
    if (!view) return [];
    return TABS.filter((tab) => {
      const part = partOf(tab);
      return part !== undefined && (part.isThere?.(store) ?? true) && !isEmpty(part, view);
    });
  });
  const tab = computed(() => {
    const wanted = chosenTab.value ?? firstTab(model.value?.view);
    return tabs.value.includes(wanted) ? wanted : tabs.value[0] ?? wanted;
  });
  const groups = computed(() => GROUPS.flatMap((group) => {
    const there = group.tabs.filter((one) => tabs.value.includes(one));
    return there.length > 0 ? [{ ...group, tabs: there, isChosen: there.includes(tab.value) }] : [];
  }));
  /** The view that was shown last of each group. */
  const lastOf = new Map<string, Tab>();
  const choose = (next: Tab): void => {
    if (!tabs.peek().includes(next)) return;
    const group = GROUPS.find((one) => one.tabs.includes(next));
    if (group) lastOf.set(group.name, next);
    chosenTab.value = next;
  };
  const margin = signal(false);
  const codeChoice = signal<boolean | null>(null);
  /** Whether the cell above shows the code, and its marks. */
  const isMarked = computed(() => {
    const view = model.value?.view;
    return margin.value && view?.sources[view.main_source]?.kind === "cell";
  });
  /** Of a module of PyTorch's own no line is the reader's: there is nothing to show but that. */
  const hasCode = computed(() => {
    const view = model.value?.view;
    return view?.sources[view.main_source]?.is_wrapper === false;
  });
  const isCodeShown = computed(() => codeChoice.value ?? (!isMarked.value && hasCode.value));
  const look = (entity: string): void => {
    reveal.value = { entity, tick: reveal.peek().tick + 1 };
  };
  const show = (text: string): void => {
    const entity = parseEntity(text);
    const part = entity && model.value ? parts.find(({ kinds }) => kinds?.[entity.kind]) : undefined;
    if (!entity || !part) return;
    part.kinds?.[entity.kind]?.show?.(store, entity);
    if (part.tab) choose(part.tab);
  };
  /** What was asked for before there was anything to show: the margin's click on a view that only now opens. */
  let waiting: readonly [entity: string, isFromCode: boolean] | null = null;
  const go = (entity: string, isFromCode = false): void => {
    if (!model.peek()) {
      waiting = [entity, isFromCode];
      return;
    }
    batch(() => {
      show(entity);
      if (!isFromCode && parseEntity(entity)?.kind === "line") codeChoice.value = true;
      pin.value = parseEntity(entity)?.kind === "graph" ? "" : entity;
      hover.value = "";
      look(entity);
    });
  };

  const store: Store = {
    source, parts, model, hover, pin, reveal, go,
    tab, tabs, groups, margin, isCodeShown, isCodeHidden: computed(() => codeChoice.value === false),
    lit: computed(() => kinOf(model.value, hover.value)),
    held: computed(() => kinOf(model.value, pin.value)),
    focus: computed(() => pin.value || hover.value),
    theme: signal<ThemeChoice>("auto"),
    help: signal(false),
    details: signal(false),
    told: signal(""),
    toggleCode: () => void (codeChoice.value = !isCodeShown.peek()),
    setTab: choose,
    setGroup: ({ name, tabs: all }) => {
      const there = all.filter((one) => tabs.peek().includes(one));
      const last = lastOf.get(name);
      const next = last && there.includes(last) ? last : there[0];
      if (next) choose(next);
    },
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
    const asked = waiting;
    if (now && asked) {
      waiting = null;
      go(...asked);
    }
  }));
  return store;
}
