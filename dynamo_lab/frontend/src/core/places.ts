// Places in the reader's code: the line to show of a stack, and lines by their numbers.
import type { LineView, SourceView, View } from "./types.generated";

export type Place = readonly [source: number, line: number];
export type Stack = readonly (readonly [number, number])[];
export type File = Pick<SourceView, "label" | "path" | "kind">;
export type Files = ReadonlyMap<number, File>;

export const LEFT_OUT: File = { label: "", path: "", kind: "library" };

/** PyTorch's own lines say how an operator is made, not where it was asked for. */
const TORCH = /[\\/](torch|functorch)[\\/]/;
const isTorch = ({ kind, path }: File): boolean => kind === "library" && TORCH.test(path);

/** The innermost line outside PyTorch: the innermost of all is mostly in `torch/nn/modules`. */
export function homeOf(stack: Stack, files: Files): Place | null {
  for (let i = stack.length - 1; i >= 0; i--) if (!isTorch(files.get(stack[i][0]) ?? LEFT_OUT)) return stack[i];
  return stack.at(-1) ?? null;
}

/** The line to show for each stack: the outermost is mostly `model(x)`, so the innermost outside PyTorch. */
export function homePlaces(view: View): (Place | null)[] {
  const files = new Map(view.sources.map((source) => [source.id, source]));
  return view.links.stacks.map((stack) => homeOf(stack, files));
}

export class Sources {
  private readonly byId: ReadonlyMap<number, SourceView>;
  private readonly texts = new Map<number, Map<number, LineView>>();

  readonly all: readonly SourceView[];

  constructor(view: View) {
    this.all = view.sources;
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

  line(source: number, line: number): LineView | undefined {
    let lines = this.texts.get(source);
    if (!lines) {
      lines = new Map(this.byId.get(source)?.lines.map((view) => [view[0], view]));
      this.texts.set(source, lines);
    }
    return lines.get(line);
  }
}
