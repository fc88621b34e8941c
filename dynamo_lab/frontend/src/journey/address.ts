// The address of a thing on a page, as Python's view/journey/address.py writes it:
// "kernel=3&line=12". The table tests/cases/journey.json holds both.
import { effect, untracked } from "@preact/signals";
import { expressionEntity, graphEntity, kernelEntity, lineEntity, nodeEntity, parseEntity, statementEntity } from "../core/entities";
import type { Model } from "../core/model";
import type { Store } from "../core/state";
import { isTab, type Tab } from "../core/tabs";
import type { ExpressionView } from "../core/types.generated";

export function addressOf({ view, graphs }: Model, text: string): string {
  const entity = parseEntity(text);
  if (!entity) return "";
  const { kind, a, b } = entity;
  const lineAddress = (source: number, line: number): string => `line=${line}${source === view.sources[view.main_source]?.id ? "" : `&source=${source}`}`;
  if (kind === "line") return lineAddress(a, b);
  if (kind === "expression") {
    const one = view.expressions.shown[a];
    return one ? `${lineAddress(one[0], one[1])}&columns=${columnsOf(one)}` : "";
  }
  if (kind === "node") return `graph=${a}&node=${encodeURIComponent(graphs.get(a)?.name[b] ?? "")}`;
  if (kind === "statement") return `kernel=${a}&line=${b}`;
  if (kind === "module") return `graph=${a}`;
  return `${kind}=${a}`;
}

/** "4-20", or "4-9:20" where it ends on line 9. */
const columnsOf = ([, line, column, endLine, endColumn]: ExpressionView): string => `${column}-${endLine > line ? `${endLine}:` : ""}${endColumn}`;

export interface Address {
  /** Empty for none. */
  readonly entity: string;
  readonly view: Tab | null;
}

const KINDS = ["break", "frame", "guard", "symbol", "buffer", "op", "operator"] as const;

/** What an address leads to in this view; nothing where it has no such thing. */
export function readAddress({ view, graphs, kin }: Model, hash: string): Address {
  const asked = new URLSearchParams(hash.replace(/^#/, ""));
  const number = (name: string): number | null => {
    const text = asked.get(name);
    return text !== null && /^\d+$/.test(text) ? Number(text) : null;
  };
  const [kernel, line, graph, node] = [number("kernel"), number("line"), number("graph"), asked.get("node")];
  const name = asked.get("view") ?? "";
  const found = ((): string => {
    if (kernel !== null) {
      const statement = line === null ? "" : statementEntity(kernel, line);
      return statement && kin.resolve(statement).length > 0 ? statement : kernelEntity(kernel);
    }
    if (line !== null) {
      const source = number("source") ?? view.sources[view.main_source]?.id ?? 0;
      const columns = asked.get("columns");
      const at = columns === null ? -1 : view.expressions.shown.findIndex((one) => one[0] === source && one[1] === line && columnsOf(one) === columns);
      return at < 0 ? lineEntity(source, line) : expressionEntity(at);
    }
    if (graph !== null) {
      const at = node === null ? -1 : (graphs.get(graph)?.name.indexOf(node) ?? -1);
      return at < 0 ? graphEntity(graph) : nodeEntity(graph, at);
    }
    const kind = KINDS.find((one) => number(one) !== null);
    return kind ? `${kind}:${number(kind)}` : "";
  })();
  return { entity: found && kin.resolve(found).length > 0 ? found : "", view: isTab(name) ? name : null };
}

/** The address of what is selected, else of the view that is shown. */
export function addressNow(store: Store): string {
  const model = store.model.value;
  const address = model && store.pin.value && !store.pin.value.includes(" ") ? addressOf(model, store.pin.value) : "";
  const entity = parseEntity(store.pin.value);
  const own = entity && store.parts.find(({ kinds }) => kinds?.[entity.kind])?.tab;
  const view = address && own === store.tab.value ? "" : `view=${store.tab.value}`;
  return [address, view].filter(Boolean).join("&");
}

/** A link to what is shown: on the page that is open, else on one that is saved. */
export function linkTo(store: Store): string {
  const isPage = location.protocol === "file:" || store.source.save === undefined;
  const title = store.model.value?.view.summary.title.replace(/[^\p{L}\p{N}]/gu, "_").replace(/^_+|_+$/g, "") || "recording";
  return `${isPage ? location.href.replace(/#.*/, "") : `${title}.html`}#${addressNow(store)}`;
}

/** Shows what an address leads to. */
export function followAddress(store: Store, hash: string): void {
  const model = store.model.peek();
  if (!model) return;
  const { entity, view } = readAddress(model, hash);
  if (entity) store.go(entity);
  if (view) store.setTab(view);
}

/** The same as soon as there is something to show; nothing for an empty address. */
export function followAddressOnce(store: Store, address: string): void {
  let isLed = address === "";
  store.atEnd(effect(() => {
    if (isLed || !store.model.value) return;
    isLed = true;
    untracked(() => followAddress(store, address));
  }));
}
