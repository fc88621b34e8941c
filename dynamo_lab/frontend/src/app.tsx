// The whole: header, the views, your code beside them, and the way of what is selected below.
import { Code } from "./code/code";
import { useMounted, useStore } from "./core/context";
import { TAB_NAMES } from "./core/tabs";
import { Said, Strip } from "./journey/strip";
import { Selection } from "./selection/selection";
import { Tabs } from "./shell/tabs";
import { Reading } from "./summary/reading";
import { Environment, Header, Notes, Told } from "./summary/summary";
import { Help } from "./ui/help";
import { Splitter, useHeight } from "./ui/splitter";

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

/** A page has its recording in it: it is only read. */
function Waiting() {
  const { source } = useStore();
  const told = source.ask
    ? "Nothing recorded yet. The view fills in as the compiler works. If it stays empty after the cell has ended, reload the page: the view is kept."
    : "Reading the recording\u2026";
  return <div class="dl-waiting" role="status">{source.failure.value || told}</div>;
}

function Right() {
  return (
    <section class="dl-right" aria-label="What the compiler made of it">
      <Tabs />
      <Reading />
      <div class="dl-main">
        <Panel />
        <Selection />
      </div>
    </section>
  );
}

/** Code that gives its place to another text stays there, unseen: the reader comes back to where it was. */
function Left() {
  const store = useStore();
  const tab = store.tab.value;
  const Beside = store.parts.find((part) => part.tab === tab)?.beside?.(store);
  return (
    <section class="dl-left" aria-label="Your code">
      <div class="dl-left-code" hidden={Beside !== undefined}><Code /></div>
      {Beside && <Beside />}
    </section>
  );
}

/** Where nothing was compiled: what came of it, above your code. */
function Alone() {
  return (
    <>
      <div class="dl-alone"><Told /><Notes /></div>
      <div class="dl-body is-single"><Left /></div>
      <Environment />
    </>
  );
}

function Body() {
  const store = useStore();
  if (store.tabs.value.length === 0) return <Alone />;
  const isCodeShown = store.isCodeShown.value;
  return (
    <>
      <div class={`dl-body${isCodeShown ? "" : " is-single"}`}>
        {isCodeShown && <Left />}
        {isCodeShown && <Splitter name="code" label="Width of your code" variable="--dl-split" start={40} />}
        <Right key="right" />
      </div>
      <Strip />
      <Said />
    </>
  );
}

export function App() {
  const { store, host } = useMounted();
  const { frame, handle } = useHeight(host);
  return (
    <div class="dl-app" ref={frame}>
      <Header />
      {store.model.value !== null ? <Body /> : <Waiting />}
      {handle}
      {store.help.value && <Help />}
    </div>
  );
}
