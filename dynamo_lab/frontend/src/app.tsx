// The whole: header, your code, the tabs, the selection.
import { useRef } from "preact/hooks";
import { Code } from "./code/code";
import { RanksBar } from "./compare/recordings";
import { useMounted, useStore } from "./core/context";
import { type Tab, TAB_NAMES } from "./core/tabs";
import { Findings } from "./findings/findings";
import { Selection } from "./selection/selection";
import { Reading } from "./summary/reading";
import { Footer, Header, Notes } from "./summary/summary";
import { Help } from "./ui/help";
import { Splitter, useHeight } from "./ui/splitter";

function Tabs() {
  const store = useStore();
  const list = useRef<HTMLDivElement>(null);
  const model = store.model.value;
  const held = store.held.value;
  const choose = (tab: Tab): void => {
    store.setTab(tab);
    list.current?.querySelector<HTMLElement>(`[data-tab=${tab}]`)?.focus();
  };
  // The arrows of a tab walk the tabs; whoever clicks on Steps wants them to walk the steps.
  const press = (tab: Tab): void => {
    store.setTab(tab);
    if (tab === "steps") requestAnimationFrame(() => list.current?.parentElement?.querySelector<HTMLElement>(".dl-scrub input")?.focus());
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const tabs = store.tabs.value;
    const at = tabs.indexOf(store.tab.value);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    choose(tabs[(to + tabs.length) % tabs.length]);
  };
  return (
    <div class="dl-tabs" role="tablist" aria-label="Views" ref={list} onKeyDown={onKeyDown}>
      {store.tabs.value.map((tab) => {
        const part = store.parts.find((one) => one.tab === tab);
        const count = model ? part?.count?.(model.view) : undefined;
        const isKin = !!model && !!held && part?.hasKin?.(model, held);
        const chosen = store.tab.value === tab;
        return (
          <button
            key={tab} type="button" role="tab" data-tab={tab}
            aria-selected={chosen} tabIndex={chosen ? 0 : -1} onClick={() => press(tab)}
          >
            {TAB_NAMES[tab]}
            {count !== undefined && <span class={`dl-count${isKin ? " is-kin" : ""}`}>{count}</span>}
          </button>
        );
      })}
    </div>
  );
}

function Panel() {
  const store = useStore();
  const tab = store.tab.value;
  const Shown = store.parts.find((part) => part.tab === tab)?.Panel;
  return (
    <div class={`dl-panel dl-panel-${tab}`} role="tabpanel" aria-label={TAB_NAMES[tab]}>
      {Shown && <Shown />}
    </div>
  );
}

function Waiting() {
  const { source } = useStore();
  return (
    <div class="dl-waiting" role="status">
      {source.failure.value || "Nothing recorded yet. The view fills in as the compiler works."}
    </div>
  );
}

function Right() {
  const pinned = useStore().pin.value !== "";
  return (
    <section class="dl-right" aria-label="What the compiler made of it">
      <Tabs />
      <Reading />
      <div class={`dl-main${pinned ? " has-pin" : ""}`}>
        <Panel />
        <Selection />
      </div>
    </section>
  );
}

/** Your code beside what became of it, or alone where nothing did. */
function Body() {
  const isAlone = useStore().tabs.value.length === 0;
  return (
    <div class={`dl-body${isAlone ? " is-alone" : ""}`}>
      <section class="dl-left" aria-label="Your code">
        <Code />
      </section>
      {!isAlone && <Splitter />}
      {!isAlone && <Right />}
    </div>
  );
}

export function App() {
  const { store, host } = useMounted();
  const { frame, handle } = useHeight(host);
  const ready = store.model.value !== null;
  return (
    <div class="dl-app" ref={frame}>
      <Header />
      {ready && <RanksBar />}
      {ready && <Findings />}
      {ready && <Notes />}
      {ready ? <Body /> : <Waiting />}
      {ready && <Footer />}
      {handle}
      {store.help.value && <Help />}
    </div>
  );
}
