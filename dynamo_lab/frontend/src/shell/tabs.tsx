// The groups of views, and in the same row the views of the chosen one.
import { useLayoutEffect, useRef } from "preact/hooks";
import { useStore } from "../core/context";
import type { Mask } from "../core/kin";
import type { Model } from "../core/model";
import type { Part, ShownGroup } from "../core/state";
import { type Tab, TAB_NAMES } from "../core/tabs";
import { ReadingButton } from "../summary/reading";
import { grouped } from "../core/words";

/** Where the arrows, Home and End lead from one of so many. */
function nextOf(key: string, at: number, count: number): number | undefined {
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: count - 1 }[key];
  return to === undefined ? undefined : (to + count) % count;
}

function holdsKin(parts: readonly Part[], tabs: readonly Tab[], model: Model | null, held: Mask | null): boolean {
  return model !== null && held !== null && parts.some((part) => part.tab && tabs.includes(part.tab) && part.hasKin?.(model, held));
}

function Count({ tab }: { tab: Tab }) {
  const store = useStore();
  const model = store.model.value;
  const count = model ? store.parts.find((part) => part.tab === tab)?.count?.(model.view) : undefined;
  if (count === undefined) return null;
  const isKin = holdsKin(store.parts, [tab], model, store.held.value);
  return <span class={`dl-count${isKin ? " is-kin" : ""}`}>{grouped(count)}</span>;
}

/** The arrows of a tab walk the tabs; whoever clicks on Steps wants them to walk the steps. */
function focusSteps(list: HTMLElement | null): void {
  requestAnimationFrame(() => list?.closest(".dl-right")?.querySelector<HTMLElement>(".dl-scrub input")?.focus());
}

function Groups({ groups }: { groups: readonly ShownGroup[] }) {
  const store = useStore();
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent): void => {
    const to = nextOf(event.key, groups.findIndex(({ isChosen }) => isChosen), groups.length);
    if (to === undefined) return;
    event.preventDefault();
    store.setGroup(groups[to]);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[to]?.focus();
  };
  return (
    <div class="dl-groups" role="tablist" aria-label="Views" ref={list} onKeyDown={onKeyDown}>
      {groups.map((group) => {
        const only = group.tabs.length === 1 ? group.tabs[0] : undefined;
        const isKin = only === undefined && holdsKin(store.parts, group.tabs, store.model.value, store.held.value);
        return (
          <button
            key={group.name} type="button" role="tab" data-tabs={group.tabs.join(" ")} data-tab={only} class={isKin ? "has-kin" : ""}
            aria-selected={group.isChosen} tabIndex={group.isChosen ? 0 : -1} onClick={() => store.setGroup(group)}
          >
            {group.name}
            {only && <Count tab={only} />}
          </button>
        );
      })}
    </div>
  );
}

function Views({ group }: { group: ShownGroup }) {
  const store = useStore();
  const list = useRef<HTMLDivElement>(null);
  const chosen = store.tab.value;
  useLayoutEffect(() => {
    const bar = list.current;
    const tab = bar?.querySelector<HTMLElement>("[aria-selected=true]");
    if (!bar || !tab) return;
    // not scrollIntoView: the notebook around us would jump, too
    bar.scrollLeft = Math.max(0, tab.offsetLeft - (bar.clientWidth - tab.offsetWidth) / 2);
  }, [chosen]);
  const press = (tab: Tab): void => {
    store.setTab(tab);
    if (tab === "steps") focusSteps(list.current);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const to = nextOf(event.key, group.tabs.indexOf(chosen), group.tabs.length);
    if (to === undefined) return;
    event.preventDefault();
    store.setTab(group.tabs[to]);
    list.current?.querySelector<HTMLElement>(`[data-tab=${group.tabs[to]}]`)?.focus();
  };
  return (
    <div class="dl-views" role="tablist" aria-label={`Views of ${group.name}`} ref={list} onKeyDown={onKeyDown}>
      {group.tabs.map((tab) => (
        <button
          key={tab} type="button" role="tab" data-tab={tab}
          aria-selected={chosen === tab} tabIndex={chosen === tab ? 0 : -1} onClick={() => press(tab)}
        >
          {TAB_NAMES[tab]}
          <Count tab={tab} />
        </button>
      ))}
    </div>
  );
}

export function Tabs() {
  const groups = useStore().groups.value;
  const chosen = groups.find(({ isChosen }) => isChosen);
  return (
    <div class="dl-tabs">
      <Groups groups={groups} />
      {chosen && chosen.tabs.length > 1 && <Views key={chosen.name} group={chosen} />}
      <ReadingButton />
    </div>
  );
}
