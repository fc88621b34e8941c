// Kernels at the left, the code of the chosen one at the right.
import { useComputed, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { timeOf } from "../benchmarks/state";
import { Beside, BesideToggle } from "../compare/beside";
import { OtherCompiler } from "../compare/other-compiler";
import { compareState } from "../compare/state";
import { useModel, useStore } from "../core/context";
import { kernelEntity } from "../core/entities";
import type { KernelView, View, WrapperView } from "../core/types.generated";
import { plural, withoutFolders } from "../core/words";
import { Badge, Empty, GoTab, Where } from "../ui/bits";
import { Splitter } from "../ui/splitter";
import { VirtualList } from "../ui/virtual-list";
import { KernelDetail } from "./detail";
import { firstWithCode, isChosen, type Item, kernelItems, kinItems } from "./items";
import { kernelsState } from "./state";
import { KernelTimes } from "./times";
import { isTimed, slownessOf } from "./timing";

function WrapperRow({ wrapper }: { wrapper: WrapperView }) {
  const { kernels } = useModel().view.kernels;
  const calls = kernels.filter((kernel) => kernel.wrapper === wrapper.id).length;
  return (
    <>
      <span class="dl-kernel-name dl-wrapper-name" title={wrapper.title}>{wrapper.title}</span>
      <span class="dl-kernel-sub dl-dim">{wrapper.language}{"  \u00b7  "}{calls > 0 ? `calls ${calls === 1 ? "the kernel" : `the ${calls} kernels`} above` : "calls no kernel"}</span>
    </>
  );
}

const itemsOf = ({ kernels, bench }: View): Item[] => kernelItems(kernels, (bench?.kernels.kernels ?? []).map(([id]) => id));

const nameOf = (kernel: KernelView): string => kernel.title || kernel.name;

/** Heights of a row whose name fits on a line, and of one that needs two. */
const [ONE_LINE, TWO_LINES] = [46, 62];
/** Beside its line, a time needs a line more there. */
const [TIMED, NARROW] = [16, 260];
/** About the width of a letter of a name, and of what stands around it. */
const [LETTER, AROUND] = [7.4, 26];

/** The height of the rows: where the list is too narrow for the longest name, each has a second line for it. */
function useRowHeight(side: RefObject<HTMLDivElement | null>, kernels: readonly KernelView[], isTimed: boolean): number {
  const width = useSignal(0);
  useLayoutEffect(() => {
    const element = side.current;
    if (!element) return;
    const observer = new ResizeObserver(() => void (width.value = element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, [kernels]);
  const longest = useMemo(() => kernels.reduce((most, kernel) => Math.max(most, nameOf(kernel).length), 0), [kernels]);
  const isNarrow = longest * LETTER + AROUND > width.value;
  return (isNarrow ? TWO_LINES : ONE_LINE) + (isTimed && width.value < NARROW ? TIMED : 0);
}

function Row({ item }: { item: Item }) {
  const model = useModel();
  if ("wrapper" in item) return <WrapperRow wrapper={item.wrapper} />;
  const { kernel } = item;
  const of = kernel.graph === null ? "" : model.graphTitle(kernel.graph);
  const time = timeOf(model)(kernel.id);
  const slowness = slownessOf(model)(kernel.id);
  return (
    <>
      <span class="dl-kernel-name dl-kernel-title" title={kernel.name}>{nameOf(kernel)}</span>
      <span class="dl-kernel-sub dl-kernel-facts" title={[of, kernel.where, ...kernel.operators].filter(Boolean).join("\n")}>
        {time && <span class={`dl-kernel-time${slowness ? " is-slowest" : ""}`}>{time}{slowness && <span class="dl-said">, {slowness}</span>}</span>}
        <span class="dl-kernel-of dl-ellipsis">
          {kernel.where && <><Where text={withoutFolders(kernel.where)} inRow />{" "}</>}
          <Badge tone={kernel.language === "extern" ? "grey" : "plain"}>{kernel.language}</Badge>{" "}
          {kernel.operators.join(", ")}
        </span>
      </span>
    </>
  );
}

/** How many kernels there are, or belong to what is pinned, and whether only those are listed. */
function Head({ all, kin, only, toggle }: { all: number; kin: number; only: boolean; toggle(): void }) {
  if (kin === 0) {
    return <div class="dl-toolbar dl-kernel-count"><span class="dl-dim">{plural(all, "kernel")}</span></div>;
  }
  return (
    <div class="dl-toolbar dl-kernel-count">
      <label class="dl-check" title="List only the kernels that belong to what is selected"><input type="checkbox" checked={only} onChange={toggle} /> only these</label>
      <span class="dl-kin-count" title="kernels that belong to what is selected">{kin} of {all}</span>
    </div>
  );
}

export function Kernels() {
  const store = useStore();
  const { view, kin } = useModel();
  const onlyKin = useSignal(false);
  const jump = useSignal({ index: -1, tick: 0 });
  const side = useRef<HTMLDivElement>(null);
  const row = useRowHeight(side, view.kernels.kernels, isTimed(view));
  const all = useComputed(() => (store.model.value ? itemsOf(store.model.value.view) : [])).value;
  const held = store.held.value;
  const isHeld = (id: number): boolean => held?.[kin.vertex("kernel", id)] === 1;
  const kinCount = held ? view.kernels.kernels.filter((kernel) => isHeld(kernel.id)).length : 0;
  const only = onlyKin.value && kinCount > 0;
  const items = only ? kinItems(all, isHeld) : all;

  const chosen = all.findIndex((item) => isChosen(item, kernelsState(store).kernel.value));
  const shown = chosen >= 0 ? all[chosen] : all[firstWithCode(only ? items : all)];
  const at = shown ? items.indexOf(shown) : -1;
  const reveal = store.reveal.value;
  useEffect(() => {
    const wanted = items.findIndex((item) => "kernel" in item && (reveal.entity === kernelEntity(item.kernel.id)));
    const first = items.findIndex((item) => "kernel" in item && isHeld(item.kernel.id));
    jump.value = { index: wanted >= 0 ? wanted : first >= 0 ? first : at, tick: jump.value.tick + 1 };
  }, [reveal.tick, only]);
  useEffect(() => void (jump.value = { index: at, tick: jump.value.tick + 1 }), [view]);
  useEffect(() => {
    // a reader who selects a line wants the code that it became, and not that of another line's kernel
    if (kinCount === 0 || (shown && !("kernel" in shown && !isHeld(shown.kernel.id)))) return;
    const own = kinItems(all, isHeld);
    const item = own[firstWithCode(own)];
    if (item && "kernel" in item) kernelsState(store).kernel.value = { kind: "kernel", id: item.kernel.id };
  }, [reveal.tick]);
  if (all.length === 0) {
    return <Empty title="No kernels">{view.kernels.empty || "No code was generated in this recording."}{view.graphs.length === 0 && view.frames.length > 0 && <> See <GoTab tab={view.breaks.length > 0 ? "breaks" : "frames"} /> for the reason.</>}</Empty>;
  }
  const choose = (i: number): void => {
    const item = items[i];
    kernelsState(store).kernel.value = "kernel" in item ? { kind: "kernel", id: item.kernel.id } : { kind: "wrapper", id: item.wrapper.id };
  };
  const rowClass = (i: number): string => {
    const item = items[i];
    const current = i === at ? " is-current" : "";
    if (!("kernel" in item)) return `dl-row-kernel${current}`;
    const lit = store.lit.value?.[kin.vertex("kernel", item.kernel.id)] ? " is-lit" : "";
    return `dl-row-kernel${current}${lit}${isHeld(item.kernel.id) ? " is-held" : ""}`;
  };
  const entity = (i: number): string => {
    const item = items[i];
    return item && "kernel" in item ? kernelEntity(item.kernel.id) : "";
  };
  if (compareState(store).isBeside.value && store.source.recordings.entries.value.length > 1) return <Beside />;
  return (
    <>
      <KernelTimes />
      <div class="dl-kernels">
        <div class="dl-kernel-side" ref={side}>
          <div class="dl-toolbar dl-kernel-compare"><BesideToggle /><OtherCompiler /></div>
          <Head all={view.kernels.kernels.length} kin={kinCount} only={only} toggle={() => (onlyKin.value = !onlyKin.value)} />
          <VirtualList
            label="Kernels" class="dl-kernel-list" count={items.length} row={row} entity={entity} rowClass={rowClass}
            renderRow={(i) => <Row item={items[i]} />} onChoose={choose} current={at} show={jump.value}
          />
        </div>
        <Splitter name="kernels" label="Width of the list of kernels" variable="--dl-kernels" start={20} />
        <div class="dl-kernel-detail">{shown && <KernelDetail item={shown} wrappers={view.kernels.wrappers} />}</div>
      </div>
    </>
  );
}
