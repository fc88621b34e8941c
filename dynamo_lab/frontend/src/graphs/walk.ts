// Walking a graph from definition to use by keys, and back.
import type { GraphIndex } from "./graph-index";

export type Way = "inputs" | "users";

interface Position {
  readonly index: GraphIndex;
  readonly node: number;
}

const neighbours = ({ index, node }: Position, way: Way): readonly number[] =>
  (way === "users" ? index.users[node] : [...new Set(index.graph.inputs[node])]);

export class Walk {
  private readonly visited: Position[] = [];
  private last: { readonly origin: Position; readonly way: Way; readonly at: number } | null = null;

  /** The first input or user of a node; null where it has none. */
  follow(from: Position, way: Way): Position | null {
    const to = neighbours(from, way);
    if (to.length === 0) return null;
    this.visited.push(from);
    this.last = { origin: from, way, at: 0 };
    return { index: from.index, node: to[0] };
  }

  /** The next input or user of the node that was last left that way. */
  next(way: Way): Position | null {
    if (this.last?.way !== way) return null;
    const { origin } = this.last;
    const to = neighbours(origin, way);
    const at = (this.last.at + 1) % to.length;
    this.last = { origin, way, at };
    return { index: origin.index, node: to[at] };
  }

  back(): Position | null {
    this.last = null;
    return this.visited.pop() ?? null;
  }
}
