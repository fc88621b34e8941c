// What the panes ask about a graph, computed once a view and graph.
import type { ForwardLines } from "./gradients";
import type { GraphView, SourceView, View } from "./types";

export type Place = readonly [source: number, line: number];

/** Paths of PyTorch itself: lines there say how an operator is made, not where it was asked for. */
const TORCH = /[\\/](torch|functorch)[\\/]/;

/** Users of each node: the inputs, turned round. */
export function usersOf(graph: GraphView): number[][] {
  const users: number[][] = graph.inputs.map(() => []);
  graph.inputs.forEach((inputs, node) => {
    for (const input of new Set(inputs)) users[input]?.push(node);
  });
  return users;
}

/**
 * The line to show for each stack: the innermost one outside PyTorch, because the innermost of all
 * is mostly `torch/nn/modules/linear.py` and the outermost mostly `model(x)`.
 */
export function homePlaces(view: View): (Place | null)[] {
  const torch = new Set(
    view.sources.filter((s) => s.kind === "library" && TORCH.test(s.path)).map((s) => s.id),
  );
  return view.links.stacks.map((stack) => {
    for (let i = stack.length - 1; i >= 0; i--) if (!torch.has(stack[i][0])) return stack[i];
    return stack.length > 0 ? stack[stack.length - 1] : null;
  });
}

export class Sources {
  private readonly byId: ReadonlyMap<number, SourceView>;
  private readonly texts = new Map<number, Map<number, SourceView["lines"][number]>>();

  constructor(view: View) {
    this.byId = new Map(view.sources.map((source) => [source.id, source]));
  }

  get(id: number): SourceView | undefined {
    return this.byId.get(id);
  }

  label(source: number, line: number): string {
    return `${this.byId.get(source)?.label ?? "?"}:${line}`;
  }

  /** Without folders, so that the line number is not cut off in a narrow column. */
  shortLabel(source: number, line: number): string {
    const label = this.byId.get(source)?.label ?? "?";
    return `${label.slice(label.lastIndexOf("/") + 1)}:${line}`;
  }

  line(source: number, line: number): SourceView["lines"][number] | undefined {
    let lines = this.texts.get(source);
    if (!lines) {
      lines = new Map(this.byId.get(source)?.lines.map((view) => [view[0], view]));
      this.texts.set(source, lines);
    }
    return lines.get(line);
  }
}

export class GraphIndex {
  readonly users: readonly (readonly number[])[];
  readonly home: readonly (Place | null)[];
  /** Nodes whose home is the line that they are the gradient of, not one of their own. */
  readonly gradient: ReadonlySet<number>;
  private haystack: readonly string[] | null = null;

  constructor(
    readonly graph: GraphView,
    places: readonly (Place | null)[],
    private readonly sources: Sources,
    gradientOf: ForwardLines = () => null,
  ) {
    this.users = usersOf(graph);
    const own = graph.stack.map((stack) => (stack < 0 ? null : (places[stack] ?? null)));
    const forward = own.map((_, node) => (this.op(node).startsWith("call_") ? gradientOf(graph, node) : null));
    const same = (node: number): boolean => own[node]?.join(":") === forward[node]?.join(":");
    this.gradient = new Set([...own.keys()].filter((node) => forward[node] !== null && !same(node)));
    this.home = own.map((place, node) => (this.gradient.has(node) ? forward[node] : place));
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

  module(node: number): string {
    return this.graph.strings[this.graph.module[node]] ?? "";
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

  /** One lower-case text a node for the search box; made on first search. */
  get texts(): readonly string[] {
    this.haystack ??= this.graph.name.map((name, node) =>
      [name, this.value(node), this.target(node), this.graph.arguments[node], this.module(node), this.line(node)]
        .join("\n")
        .toLowerCase(),
    );
    return this.haystack;
  }
}
