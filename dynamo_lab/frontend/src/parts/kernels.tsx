// Kernels at the left, the code of the chosen one at the right.
import { useModel, useStore } from "../context";
import { kernelEntity } from "../entities";
import type { KernelChoice } from "../store";
import type { KernelsView, KernelView, WrapperView } from "../types";
import { Badge, Empty, GraphChip, plural, withoutFolders } from "../ui/bits";
import { CodeBlock } from "../ui/code-block";
import { VirtualList } from "../ui/virtual-list";

type Item = { readonly kernel: KernelView } | { readonly wrapper: WrapperView };

/** Each wrapper is listed after the kernels it calls. */
export function kernelItems(view: KernelsView): Item[] {
  const loose = view.kernels.filter((k) => !view.wrappers.some((w) => w.id === k.wrapper));
  return [
    ...view.wrappers.flatMap((wrapper): Item[] => [
      ...view.kernels.filter((kernel) => kernel.wrapper === wrapper.id).map((kernel) => ({ kernel })),
      { wrapper },
    ]),
    ...loose.map((kernel) => ({ kernel })),
  ];
}

function isChosen(item: Item, choice: KernelChoice | null): boolean {
  if (!choice) return false;
  return "kernel" in item ? choice.kind === "kernel" && choice.id === item.kernel.id
    : choice.kind === "wrapper" && choice.id === item.wrapper.id;
}

function Row({ item }: { item: Item }) {
  if ("wrapper" in item) {
    return (
      <>
        <span class="dl-kernel-name dl-wrapper-name">{item.wrapper.title}</span>
        <Badge tone="plain">{item.wrapper.language}</Badge>
        <span class="dl-kernel-sub dl-dim">the code that calls the kernels{item.wrapper.graph !== null && ` of graph ${item.wrapper.graph}`}</span>
      </>
    );
  }
  const { kernel } = item;
  return (
    <>
      <span class="dl-kernel-name" title={kernel.name}>{kernel.title || kernel.name}</span>
      <Badge tone={kernel.language === "extern" ? "grey" : "plain"}>{kernel.language}</Badge>
      <span class="dl-kernel-sub" title={[kernel.where, ...kernel.operators].join("\n")}>
        {[withoutFolders(kernel.where), kernel.operators.join(", ")].filter(Boolean).join("  \u00b7  ")}
      </span>
    </>
  );
}

function Detail({ item, wrappers }: { item: Item; wrappers: readonly WrapperView[] }) {
  const store = useStore();
  const line = store.kernel.value?.line;
  if ("wrapper" in item) {
    return <CodeBlock text={item.wrapper.code} language={item.wrapper.language} label={`Code of ${item.wrapper.title}`} line={line} />;
  }
  const { kernel } = item;
  const wrapper = wrappers.find((w) => w.id === kernel.wrapper);
  return (
    <>
      <div class="dl-toolbar dl-kernel-head" data-entity={kernelEntity(kernel.id)}>
        <code class="dl-ellipsis" title={kernel.name}>{kernel.name}</code>
        {kernel.calls > 1 && <span class="dl-dim">called {kernel.calls} times</span>}
        {kernel.is_backward && <Badge tone="plain">backward</Badge>}
        {kernel.graph !== null && <GraphChip id={kernel.graph} />}
        <span class="dl-dim">{plural(kernel.nodes.length, "node")}</span>
        {wrapper && (
          <button type="button" class="dl-go" data-own onClick={() => (store.kernel.value = { kind: "wrapper", id: wrapper.id, line: kernel.line })}>
            show in wrapper
          </button>
        )}
      </div>
      {kernel.code
        ? <CodeBlock text={kernel.code} language={kernel.language} label={`Code of ${kernel.name}`} />
        : <Empty title="No code of its own">An extern kernel is a library call: Inductor generates the call, not the kernel. The wrapper shows it.</Empty>}
    </>
  );
}

export function Kernels() {
  const store = useStore();
  const { view, kin } = useModel();
  const items = kernelItems(view.kernels);
  if (items.length === 0) {
    return <Empty title="No kernels">{view.kernels.empty || "Inductor generated no code in this recording."}</Empty>;
  }
  const at = Math.max(0, items.findIndex((item) => isChosen(item, store.kernel.value)));
  const choose = (i: number): void => {
    const item = items[i];
    store.kernel.value = "kernel" in item ? { kind: "kernel", id: item.kernel.id } : { kind: "wrapper", id: item.wrapper.id };
  };
  const rowClass = (i: number): string => {
    const item = items[i];
    const chosen = i === at ? " is-current" : "";
    if (!("kernel" in item)) return `dl-row-kernel${chosen}`;
    const vertex = kin.vertex("kernel", item.kernel.id);
    return `dl-row-kernel${chosen}${store.lit.value?.[vertex] ? " is-lit" : ""}${store.held.value?.[vertex] ? " is-held" : ""}`;
  };
  const entity = (i: number): string => {
    const item = items[i];
    return item && "kernel" in item ? kernelEntity(item.kernel.id) : "";
  };
  const reveal = store.reveal.value;
  return (
    <div class="dl-kernels">
      <VirtualList
        label="Kernels" class="dl-kernel-list" count={items.length} row={46} entity={entity} rowClass={rowClass}
        renderRow={(i) => <Row item={items[i]} />} onChoose={choose} current={at} show={{ index: at, tick: reveal.tick }}
      />
      <div class="dl-kernel-detail"><Detail item={items[at]} wrappers={view.kernels.wrappers} /></div>
    </div>
  );
}
