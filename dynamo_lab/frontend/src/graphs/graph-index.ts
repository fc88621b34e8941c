// What the panes ask about a graph, computed once a view and graph.
import { derived } from "../core/model";
import type { Place, Sources } from "../core/places";
import type { GraphView, View } from "../core/types.generated";
import { innermostRepeats } from "./folds";
import { forwardLines, type ForwardLines } from "./gradients";
import type { Term } from "./query";
import { homesOf, Searched } from "./search";

/** Users of each node: the inputs, turned round. */
export function usersOf(graph: GraphView): number[][] {
  const users: number[][] = graph.inputs.map(() => []);
  graph.inputs.forEach((inputs, node) => {
    for (const input of inputs) if (users[input]?.at(-1) !== node) users[input]?.push(node); // who reads it twice is one user
  });
  return users;
}

export class GraphIndex {
  readonly users: readonly (readonly number[])[];
  readonly home: readonly (Place | null)[];
  /** Nodes whose home is the line that they are the gradient of, not one of their own. */
  readonly gradient: ReadonlySet<number>;
  /** The innermost repeat that each node lies in, -1 for none. */
  readonly innermost: Int32Array;
  private homes: readonly number[] | null = null;
  private searched: Searched | null = null;
  private kinds: Map<number, string> | null = null;

  constructor(
    readonly graph: GraphView,
    places: readonly (Place | null)[],
    private readonly sources: Sources,
    private readonly stacks: View["links"]["stacks"] = [],
    gradientOf: ForwardLines = () => null,
  ) {
    this.users = usersOf(graph);
    this.innermost = innermostRepeats(graph);
    const gradient = new Set<number>();
    this.home = graph.stack.map((stack, node) => {
      const own = stack < 0 ? null : (places[stack] ?? null);
      const forward = this.op(node).startsWith("call_") ? gradientOf(graph, node) : null;
      if (!forward || (forward[0] === own?.[0] && forward[1] === own[1])) return own;
      gradient.add(node);
      return forward;
    });
    this.gradient = gradient;
  }

  get size(): number {
    return this.graph.name.length;
  }

  op(node: number): string {
    return this.graph.strings[this.graph.op[node]] ?? "";
  }

  target(node: number): string {
    return this.graph.strings[this.graph.target[node]] ?? "";
  }

  /** The path of the module, or of the torch.func transform, that the node lies in. */
  box(node: number): string {
    this.homes ??= homesOf(this.graph);
    return this.graph.modules[this.homes[node]]?.path ?? "";
  }

  value(node: number): string {
    return this.graph.values[this.graph.value[node]] ?? "";
  }

  line(node: number): string {
    const home = this.home[node];
    return home ? this.sources.label(home[0], home[1]) : "";
  }

  shortLine(node: number): string {
    const home = this.home[node];
    return home ? this.sources.shortLabel(home[0], home[1]) : "";
  }

  /** The size of what the node produces, null where it is not known. */
  bytes(node: number): number | null {
    return this.graph.bytes[this.graph.value[node]] ?? null;
  }

  /** How its value lies in memory, empty for row by row. */
  layout(node: number): string {
    return this.graph.layouts[this.graph.value[node]] ?? "";
  }

  /** What kind of work the node does: one of KINDS, "input", "output" or "other". */
  kind(node: number): string {
    const op = this.op(node);
    if (op === "placeholder" || op === "get_attr") return "input";
    if (op === "output") return "output";
    if (!this.kinds) {
      this.kinds = new Map();
      for (const [kind, targets] of Object.entries(this.graph.kinds)) for (const target of targets) this.kinds.set(target, kind);
    }
    return this.kinds.get(this.graph.target[node]) ?? "other";
  }

  /** The nodes that fulfil every condition. */
  find(terms: readonly Term[]): number[] {
    this.searched ??= new Searched(this.graph, this.users, this.stacks, this.sources.all);
    return this.searched.find(terms);
  }
}

export type IndexOf = (graph: number) => GraphIndex | null;

/** The index of a graph by its id, null for none; each is made on first need. */
export const indicesOf = derived(({ view, graphs, places, sources }): IndexOf => {
  const indices = new Map<number, GraphIndex>();
  const gradientOf = forwardLines(view, places);
  return (id) => {
    const graph = graphs.get(id);
    if (!graph) return null;
    const index = indices.get(id) ?? new GraphIndex(graph, places, sources, view.links.stacks, gradientOf);
    indices.set(id, index);
    return index;
  };
});
