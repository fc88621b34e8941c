// A graph as code, a node a row; inputs and users of the hovered node light up.
import { useSignal } from "@preact/signals";
import { useCallback, useEffect, useRef } from "preact/hooks";
import { useModel, useStore } from "../core/context";
import { graphEntity, nodeEntity, parseEntity } from "../core/entities";
import { plural } from "../core/words";
import { Prose } from "../ui/bits";
import { SearchBox } from "../ui/search-box";
import { nextOf } from "../ui/virtual";
import { VirtualList } from "../ui/virtual-list";
import type { GraphIndex } from "./graph-index";
import { useDefUse, useRows } from "./listing-state";
import { Modes } from "./modes";
import { Row } from "./node-row";
import { NoHits, OtherHits, Stepper } from "./query-bar";
import { RepeatRow } from "./repeat-row";
import { type NodeRow, repeatsAround } from "./rows";
import { graphsState } from "./state";
import { Walk } from "./walk";

export function Listing({ index }: { index: GraphIndex }) {
  const store = useStore();
  const { kin } = useModel();
  const { graph } = index;
  const { terms, complaint, isHit, onlyHits, all, shown, hits, isOpen, toggle, isUnfolded, fold, unfoldedAt } = useRows(index);
  const { centre, inputs, users } = useDefUse();
  const jump = useSignal({ index: -1, tick: 0 });
  const at = useRef(-1);
  const walk = useRef(new Walk()).current;
  const isSearch = isHit !== null;
  const lit = store.lit.value;
  const held = store.held.value;
  const kinNodes = held ? kin.nodesIn(held, graph.id) : [];

  /** Brings a node's row into sight; one that the search leaves out, or that is folded away, among all rows. */
  const show = (of: GraphIndex, node: number): void => {
    const find = (rows: readonly NodeRow[]): number => rows.findIndex((row) => row.node === node && row.index === of);
    const isLeftOut = find(shown) < 0;
    if (isLeftOut) onlyHits.value = false;
    const isFolded = isLeftOut && find(all) < 0;
    const row = find(isFolded ? unfoldedAt(of, node) : isLeftOut ? all : shown);
    if (row >= 0) jump.value = { index: row, tick: jump.value.tick + 1 };
  };
  const reveal = store.reveal.value;
  useEffect(() => {
    // Also when another stage of the graph is chosen: what is pinned stays, its first kin is shown.
    const wanted = parseEntity(store.pin.peek() || reveal.entity);
    const isOwn = wanted?.kind === "node" && wanted.a === graph.id;
    const own = isOwn ? wanted.b : kinNodes.at(0);
    if (own === undefined) return;
    at.current = own;
    if (isOwn || !isSearch) show(index, own);
  }, [reveal.tick]);

  const moveTo = (to: { readonly index: GraphIndex; readonly node: number } | null): void => {
    if (!to) return;
    store.hover.value = nodeEntity(to.index.graph.id, to.node);
    show(to.index, to.node);
  };
  const step = (by: 1 | -1): void => {
    at.current = nextOf(isSearch ? hits : kinNodes, at.current, by);
    if (!isSearch) show(index, at.current);
    else if (at.current >= 0) moveTo(shown[at.current]);
  };
  const toggleAtCursor = (wanted: boolean): void => {
    const bodies = centre?.index.graph.subgraphs[centre.node] ?? [];
    for (const body of bodies) if (isOpen(body) !== wanted) toggle(body);
    if (!centre || bodies.length > 0) return;
    const repeat = repeatsAround(centre.index, centre.node).find((one) => isUnfolded(centre.index, one) !== wanted);
    if (repeat !== undefined) fold(centre.index, repeat);
  };
  const keys: Readonly<Record<string, () => void>> = {
    n: () => step(1), N: () => step(-1),
    i: () => centre && moveTo(walk.follow(centre, "inputs")), I: () => moveTo(walk.next("inputs")),
    u: () => centre && moveTo(walk.follow(centre, "users")), U: () => moveTo(walk.next("users")),
    Backspace: () => moveTo(walk.back()),
    ArrowRight: () => toggleAtCursor(true), ArrowLeft: () => toggleAtCursor(false),
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const act = keys[event.key];
    if (!act || event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey || event.altKey) return;
    act();
    event.preventDefault();
  };

  const rowClass = (i: number): string => {
    const { index: of, node, repeat, begins } = shown[i];
    if (node < 0) return `dl-row-node ${repeat < 0 ? "dl-row-body" : "dl-row-repeat"}`;
    const start = kin.vertex("node", of.graph.id, 0);
    const isAround = of === centre?.index;
    const state = [
      lit?.[start + node] ? "is-lit" : "", held?.[start + node] ? "is-held" : "",
      isAround && inputs.has(node) ? "is-input" : "", isAround && users.has(node) ? "is-user" : "",
      isAround && node === centre?.node ? "is-centre" : "", !onlyHits.value && isHit?.(shown[i]) ? "is-hit" : "",
      of === index ? "" : "dl-row-inner", begins ? "begins-block" : "",
    ].join(" ");
    return `dl-row-node dl-op-${of.op(node)} ${state}`;
  };
  /** Whether the row above came from the same line. */
  const repeats = (i: number): boolean => {
    const [above, row] = [shown.at(i - 1), shown[i]];
    return i > 0 && above?.index === row.index && above.node >= 0 && row.index.line(above.node) === row.index.line(row.node);
  };
  const entityOf = (i: number): string => {
    const { index: of, node, repeat } = shown[i];
    if (repeat >= 0) return "";
    return node < 0 ? graphEntity(of.graph.id) : nodeEntity(of.graph.id, node);
  };
  // other rows come with all that changes what one shows
  const renderRow = useCallback((i: number) => (shown[i].repeat >= 0
    ? <RepeatRow row={shown[i]} isOpen={isUnfolded(shown[i].index, shown[i].repeat)} />
    : <Row row={shown[i]} repeat={repeats(i)} isOpen={isOpen} onToggle={toggle} />), [shown]);
  return (
    <div class="dl-listing" onKeyDown={onKeyDown}>
      <div class="dl-toolbar">
        <SearchBox query={graphsState(store).query} label="Search nodes" placeholder="op:mm dtype:f32 line:12, or any text" />
        {isSearch && (
          <>
            <Stepper label={plural(hits.length, "hit")} what="hit" step={step} isOff={hits.length === 0} />
            <label class="dl-check"><input type="checkbox" checked={onlyHits.value} onChange={() => (onlyHits.value = !onlyHits.value)} /> only hits</label>
          </>
        )}
        {!isSearch && kinNodes.length > 0 && <Stepper label={plural(kinNodes.length, "linked row")} what="linked row" step={step} />}
        <span class="dl-space" />
        <Modes />
      </div>
      {complaint && <p class="dl-explain dl-note-line" role="status"><Prose text={complaint} /></p>}
      {isSearch && <OtherHits index={index} terms={terms} />}
      {shown.length === 0
        ? <NoHits index={index} query={graphsState(store).query} />
        : <VirtualList
            label={`Nodes of ${graph.title}`} count={shown.length} row={22} rowClass={rowClass} entity={entityOf}
            onChoose={(i) => shown[i].repeat >= 0 && fold(shown[i].index, shown[i].repeat)} show={jump.value} renderRow={renderRow}
          />}
    </div>
  );
}
