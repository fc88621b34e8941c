// Which nodes of a graph a query finds, as Python's `search` does it.
import { type Files, homeOf, LEFT_OUT, type Stack } from "../core/places";
import type { GraphView, SourceView } from "../core/types.generated";
import { glob, normalDtype, type Term, whole } from "./query";

type Test = (node: number) => boolean;
const TENSOR = /([a-z][a-z0-9_]*)\[([^\]]*)\]/g;

/** Some of the parts of a dotted path. */
const parts = (value: string): RegExp => new RegExp(`(?:^|\\.)${glob(value)}(?:\\.|$)`, "s");

interface Tensor {
  readonly dtype: string;
  readonly shape: string;
}

function tensorsIn(text: string): Tensor[] {
  return [...text.toLowerCase().matchAll(TENSOR)].map(([, dtype, sizes]) => ({ dtype: normalDtype(dtype), shape: sizes.replace(/ *, */g, "x") }));
}

/** The box that each node lies in directly. */
export function homesOf(graph: GraphView): readonly number[] {
  const homes = new Array<number>(graph.name.length).fill(-1);
  graph.modules.forEach(({ nodes }, box) => nodes.forEach((node) => (homes[node] = box)));
  return homes;
}

/** A graph prepared for many queries. */
export class Searched {
  private tensors: readonly (readonly Tensor[])[] | null = null;
  private names: readonly string[] | null = null;
  private calls: readonly string[] | null = null;
  private readonly files: Files;
  private readonly homes: readonly number[];

  constructor(
    private readonly graph: GraphView,
    private readonly users: readonly (readonly number[])[],
    private readonly stacks: readonly Stack[],
    sources: readonly SourceView[],
  ) {
    this.homes = homesOf(graph);
    this.files = new Map(sources.map((source) => [source.id, source]));
  }

  /** The nodes that fulfil every condition, in order. */
  find(terms: readonly Term[]): number[] {
    const tests = terms.map((term) => [this.test(term), !term.isNegated] as const);
    const found: number[] = [];
    for (let node = 0; node < this.graph.name.length; node++) {
      if (tests.every(([test, wanted]) => test(node) === wanted)) found.push(node);
    }
    return found;
  }

  private test(term: Term): Test {
    const { graph } = this;
    switch (term.field) {
      case "op": {
        const within = parts(term.value);
        const hits = graph.strings.map((text) => within.test(text.toLowerCase()));
        return (node) => hits[graph.op[node]] || hits[graph.target[node]];
      }
      case "dtype": {
        const fits = whole(term.value);
        return this.ofValue(({ dtype }) => fits.test(dtype));
      }
      case "shape": {
        const fits = whole(term.value, "[^x]+");
        return this.ofValue(({ shape }) => fits.test(shape));
      }
      case "module": {
        const inside = this.inside(term.value);
        const homes = this.homes;
        return (node) => inside.has(homes[node]);
      }
      case "line": {
        const lines = this.stacks.map((stack) => this.hasLine(stack, term));
        return (node) => lines[graph.stack[node]] ?? false;
      }
      case "stage": {
        const fits = whole(term.value);
        const isIt = fits.test(graph.stage) || fits.test(stageWord(graph));
        return () => isIt;
      }
      case "name": {
        const fits = whole(term.value);
        return (node) => fits.test(graph.name[node].toLowerCase());
      }
      case "bytes": {
        const known = graph.bytes.map((bytes) => bytes !== null && term.low <= bytes && bytes <= term.high);
        return (node) => known[graph.value[node]] ?? false;
      }
      case "users":
        return (node) => term.low <= this.users[node].length && this.users[node].length <= term.high;
      default: {
        return this.hasText(term.value);
      }
    }
  }

  private ofValue(fits: (tensor: Tensor) => boolean): Test {
    this.tensors ??= this.graph.values.map(tensorsIn);
    const hits = this.tensors.map((tensors) => tensors.some(fits));
    return (node) => hits[this.graph.value[node]];
  }

  /** Operators, values and modules are few, so each is looked at once and not for each node. */
  private hasText(text: string): Test {
    const { graph, homes } = this;
    const has = (one: string): boolean => one.toLowerCase().includes(text);
    const [strings, values, boxes] = [graph.strings.map(has), graph.values.map(has), graph.modules.map(({ path }) => has(path))];
    const names = (this.names ??= graph.name.map((name) => name.toLowerCase()));
    const calls = (this.calls ??= graph.arguments.map((one) => one.toLowerCase()));
    return (node) => strings[graph.target[node]] || values[graph.value[node]] || (boxes[homes[node]] ?? false) || names[node].includes(text) || calls[node].includes(text);
  }

  /** Boxes whose path holds the parts, that are of the class, or that lie in such a one. */
  private inside(value: string): ReadonlySet<number> {
    const [within, alone] = [parts(value), whole(value)];
    const found = new Set<number>();
    const visit = (number: number, isInside: boolean): void => {
      const box = this.graph.modules[number];
      if (!box) return;
      const now = isInside || within.test(box.path.toLowerCase()) || alone.test(box.type.toLowerCase());
      if (now) found.add(number);
      for (const child of box.children) visit(child, now);
    };
    visit(0, false);
    return found;
  }

  /** Whether one of the reader's lines in it fits, or the one that the node is shown with. */
  private hasLine(stack: Stack, term: Term): boolean {
    const home = homeOf(stack, this.files);
    return stack.some(([source, line]) => {
      const file = this.files.get(source) ?? LEFT_OUT;
      const isShown = file.kind !== "library" || (home?.[0] === source && home[1] === line);
      const isOfFile = term.file === "" || `/${file.label.toLowerCase()}`.endsWith(`/${term.file}`);
      return isShown && term.low <= line && line <= term.high && isOfFile;
    });
  }
}

/** The graph's stage as one word to ask for it by, as in Python's `graphs`. */
export function stageWord({ stage, is_backward }: GraphView): string {
  return is_backward && stage !== "backward" ? `${stage}_backward` : stage;
}
