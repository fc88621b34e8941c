// What a trace log holds beside the facts: a list, and the text of the one that is chosen.
import { useSignal } from "@preact/signals";
import { useModel } from "../core/context";
import { CompileId } from "../ui/bits";
import { CodeBlock } from "../ui/code-block";
import { VirtualList } from "../ui/virtual-list";

export function Artifacts() {
  const { artifacts } = useModel().view;
  const chosen = useSignal(0);
  const item = artifacts[chosen.value] ?? artifacts[0];
  return (
    <div class="dl-artifacts">
      <VirtualList
        label="Artifacts" count={artifacts.length} row={24} current={chosen.value} entity={() => ""} onChoose={(i) => (chosen.value = i)}
        renderRow={(i) => (
          <>
            <span class="dl-ellipsis" title={artifacts[i].title}>{artifacts[i].title}</span>
            <span class="dl-dim"><CompileId id={artifacts[i].compile_id} /></span>
            <span class="dl-dim">{artifacts[i].size}</span>
          </>
        )}
      />
      <div class="dl-artifact">
        <p><b>{item.title}</b> {item.note && <span class="dl-dim">{item.note}</span>}</p>
        <CodeBlock text={item.text} language="" label={item.title} isWrapped />
      </div>
    </div>
  );
}
