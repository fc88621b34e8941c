// What PyTorch logged in words: each message beside the view that shows the same.
import { useComputed, useSignal } from "@preact/signals";
import { useModel, useStore } from "../core/context";
import { isTab, TAB_NAMES, type Tab } from "../core/tabs";
import type { LogView } from "../core/types.generated";
import { CompileId, Go, GoTab, Prose } from "../ui/bits";
import { CodeBlock } from "../ui/code-block";
import { SearchBox } from "../ui/search-box";
import { VirtualList } from "../ui/virtual-list";
import { fitting, firstLine } from "./fitting";

/** Sections that are part of another's tab. */
const TAB_OF: Readonly<Record<string, Tab>> = { shapes: "guards" };

const tabOf = (view: string): Tab | null => TAB_OF[view] ?? (isTab(view) ? view : null);

/** Where the same is shown: a thing to go to, or a view. */
function Beside({ item }: { item: LogView }) {
  const tab = tabOf(item.view);
  return (
    <p class="dl-log-beside">
      {item.view === "" && <span class="dl-dim">shown only here</span>}
      {tab && <span>shown in <GoTab tab={tab} />: {item.entity ? <Go to={item.entity}>{item.shown}</Go> : item.shown}</span>}
      {item.line && <span>line: <Go to={item.line}>{item.where}</Go></span>}
      <span class="dl-dim">{item.place}{item.note && `, ${item.note}`}</span>
    </p>
  );
}

function About({ name }: { name: string }) {
  const kind = useModel().view.logs.kinds.find((one) => one.name === name);
  if (!kind) return null;
  return <p class="dl-dim"><code>{kind.name}</code>: {kind.shows}.{kind.lacks && ` Only in the text: ${kind.lacks}.`}</p>;
}

export function Logs() {
  const { logs } = useModel().view;
  const store = useStore();
  const query = useSignal("");
  const chosen = useSignal(0);
  const shown = useComputed(() => fitting(store.model.value?.view.logs.records ?? [], query.value));
  const item = shown.value[chosen.value] ?? shown.value[0];
  return (
    <div class="dl-logs">
      <div class="dl-logs-list">
        <SearchBox query={query} label="Find messages" placeholder={`Messages of ${logs.kinds.map((kind) => kind.name).slice(0, 3).join(", ")}, or words in them`} />
        <VirtualList
          label="Messages of the log" count={shown.value.length} row={24} current={chosen.value} entity={(i) => shown.value[i].entity || shown.value[i].line} onChoose={(i) => (chosen.value = i)}
          renderRow={(i) => (
            <>
              <span class="dl-dim"><CompileId id={shown.value[i].compile_id} /></span>
              <span class="dl-ellipsis">{shown.value[i].name}</span>
              <code class="dl-ellipsis" title={firstLine(shown.value[i].text)}>{firstLine(shown.value[i].text)}</code>
              <span class="dl-dim dl-ellipsis">{TAB_NAMES[tabOf(shown.value[i].view) ?? "logs"]}</span>
            </>
          )}
        />
        {logs.left && <p class="dl-dim"><Prose text={logs.left} /></p>}
      </div>
      {item && (
        <div class="dl-log">
          <Beside item={item} />
          <About name={item.name} />
          <CodeBlock text={item.text} language="" label={`${item.name} ${item.compile_id}`} isWrapped />
        </div>
      )}
    </div>
  );
}
