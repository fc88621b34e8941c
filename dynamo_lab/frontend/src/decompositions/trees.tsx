// The trees of one operator, one for each kind of call: a click unfolds one level.
import { type Signal, useSignal } from "@preact/signals";
import { useModel } from "../core/context";
import { nodeEntity } from "../core/entities";
import { splitTarget } from "../core/target";
import type { DecompositionsView, RuleView, StepView, TopView, TreesView } from "../core/types.generated";
import { plural } from "../core/words";
import { Badge, Go, Where } from "../ui/bits";
import { CodeBlock } from "../ui/code-block";

/** Rows that "unfold all" opens at most: prims of an attention are many. */
const MOST_OPEN = 400;
/** Calls whose trees are drawn; more are offered by a button. */
const FIRST_CALLS = 12;
const MOST_NODES = 6;

const STAYS: Readonly<Record<string, string>> = { extern: "extern kernel", "no rule": "no rule", raised: "its rule raised" };

/** The rows that a call becomes at a set; null where it stays. */
type CallRow = StepView["rows"][number];

export function rowsOf(trees: TreesView, call: number, set: number): readonly CallRow[] | null {
  const way = trees.calls[call]?.ways[set];
  return way && way[0] >= 0 ? trees.steps[way[0]].rows : null;
}

/** The paths ("0.2.1") of all rows below a call that unfold, breadth first, so that a cut is even. */
export function pathsBelow(trees: TreesView, call: number, set: number, most = MOST_OPEN): string[] {
  const found: string[] = [];
  const queue: (readonly [number, string])[] = [[call, "0"]];
  for (let i = 0; i < queue.length && found.length < most; i++) {
    const [at, path] = queue[i];
    const rows = rowsOf(trees, at, set);
    if (!rows?.length) continue; // what computes nothing has nothing to show
    found.push(path);
    rows.forEach(([child], row) => queue.push([child, `${path}.${row}`]));
  }
  return found;
}

function Rule({ rule }: { rule: RuleView }) {
  const open = useSignal(false);
  const source = rule.where.includes(".yaml:") ? "yaml" : "python";
  return (
    <div class="dl-rule">
      <span class="dl-dim">by</span> <code>{rule.name}</code> <span class="dl-dim">{rule.kind}{rule.where && `, ${rule.where}`}</span>
      {rule.text && (
        <button type="button" class="dl-link" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>{open.value ? "hide" : "source"}</button>
      )}
      {open.value && <div class="dl-rule-text"><CodeBlock text={rule.text} language={source} label={`Source of ${rule.name}`} /></div>}
    </div>
  );
}

interface BranchProps {
  readonly trees: TreesView;
  readonly row: CallRow;
  readonly set: number;
  readonly path: string;
  readonly open: Signal<ReadonlySet<string>>;
}

function Branch({ trees, row: [call, name, args], set, path, open }: BranchProps) {
  const found = trees.calls[call];
  const way = found.ways[set];
  const rows = rowsOf(trees, call, set);
  const isOpen = rows !== null && open.value.has(path);
  const [space, operator, overload] = splitTarget(found.operator);
  const toggle = (): void => {
    const next = new Set(open.value);
    if (!next.delete(path)) next.add(path);
    open.value = next;
  };
  const label = (
    <>
      {name && <><span class="dl-name">{name}</span><span class="dl-dim"> = </span></>}
      <span class="dl-dim">{space}</span><span class="dl-op">{operator}</span><span class="dl-dim">{overload}</span>
      <span class="dl-args">({args})</span>
      {path !== "0" && found.value && <span class="dl-value"> {found.value}</span>}
    </>
  );
  const stays = way ? STAYS[way[1]] : "";
  return (
    <li>
      {rows
        ? (
          <button type="button" class="dl-branch" aria-expanded={isOpen} onClick={toggle}>
            <span class="dl-twist" aria-hidden="true">{isOpen ? "\u25be" : "\u25b8"}</span><span class="dl-branch-text">{label}</span>
            <span class="dl-leaf-count" title={`becomes ${plural(found.leaves[set], "operator")}`}>{found.leaves[set]}</span>
          </button>
        )
        : (
          <div class="dl-branch" title={way?.[2] || undefined}>
            <span class="dl-twist" aria-hidden="true">{"\u00b7"}</span><span class="dl-branch-text">{label}</span>
            {stays && <Badge tone="warning">{stays}</Badge>}
          </div>
        )}
      {isOpen && (
        <div class="dl-branch-below">
          <Rule rule={trees.rules[trees.steps[way[0]].rule]} />
          {rows.length > 0
            ? <ul class="dl-tree">{rows.map((row, i) => <Branch key={i} trees={trees} row={row} set={set} path={`${path}.${i}`} open={open} />)}</ul>
            : <p class="dl-dim">It computes nothing for these arguments: it hands back what it was given.</p>}
          {rows.length > 0 && <p class="dl-returns"><span class="dl-keyword">return</span> {trees.steps[way[0]].returns}</p>}
        </div>
      )}
    </li>
  );
}

function Nodes({ top }: { top: TopView }) {
  const { graphs, graphTitle } = useModel();
  if (top.nodes.length === 0) return <span class="dl-dim">dropped again: nothing reads it</span>;
  const [[first]] = top.nodes;
  const shown = top.nodes.slice(0, MOST_NODES);
  return (
    <span class="dl-top-nodes">
      <span class="dl-dim">in {graphTitle(first)}:</span>{" "}
      {shown.map(([graph, node]) => <Go key={`${graph}:${node}`} to={nodeEntity(graph, node)}>{graphs.get(graph)?.name[node]}</Go>)}
      {top.nodes.length > shown.length && <span class="dl-dim">and {top.nodes.length - shown.length} more</span>}
    </span>
  );
}

interface TopProps {
  readonly trees: TreesView;
  readonly top: TopView;
  readonly set: number;
  readonly isFirst: boolean;
}

function Top({ trees, top, set, isFirst }: TopProps) {
  const call = trees.calls[top.call];
  const open = useSignal<ReadonlySet<string>>(new Set(isFirst ? ["0"] : []));
  const isTree = rowsOf(trees, top.call, set) !== null;
  return (
    <section class="dl-top" aria-label={`${call.operator}(${call.arguments})`}>
      <p class="dl-top-head">
        {top.times > 1 && <span class="dl-dim">{plural(top.times, "call")}</span>}
        {top.where && <span class="dl-dim"><Where text={top.where} /></span>}
        <Nodes top={top} />
        {isTree && <button type="button" class="dl-link" onClick={() => (open.value = new Set(open.value.size > 1 ? [] : pathsBelow(trees, top.call, set)))}>{open.value.size > 1 ? "fold" : "unfold all"}</button>}
      </p>
      {call.problem && <p class="dl-bad-text">{call.problem}</p>}
      <ul class="dl-tree"><Branch trees={trees} row={[top.call, "", call.arguments]} set={set} path="0" open={open} /></ul>
    </section>
  );
}

/** The trees of the operator at `index`; a new operator or set starts with its first tree open. */
export function OperatorTrees({ found, index, set }: { found: DecompositionsView; index: number; set: number }) {
  const all = useSignal(false);
  const { tops } = found.operators[index];
  const shown = all.value ? tops : tops.slice(0, FIRST_CALLS);
  return (
    <div class="dl-kernel-detail dl-trees" data-own>
      {shown.map((top, i) => <Top key={top} trees={found.trees} top={found.tops[top]} set={set} isFirst={i === 0} />)}
      {shown.length < tops.length && <button type="button" class="dl-button dl-more" onClick={() => (all.value = true)}>{plural(tops.length - shown.length, "more call")} on other shapes</button>}
    </div>
  );
}
