// Places in the reader's code: the line to show of a stack, lines by their numbers, and those that a sentence names.
import { kernelEntity, lineEntity } from "./entities";
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

/** A piece of a text; `entity` is the line that it names, empty where it names none. */
export type Piece = readonly [text: string, entity: string];

interface Mention {
  readonly start: number;
  readonly end: number;
  readonly entity: string;
}

// "line 4" of the main source, "model.py, line 7" elsewhere, "functional.py:2109" of a library, as Python writes them.
// "line 4 of its wrapper" is a line of something else.
const LINE = /\b[Ll]ines? (\d+)(?:-\d+)?(?!\d|\.\d| of )|([^\s,;()`]+\.\w+):(\d+)(?:-\d+)?/g;
/** What stands before a line and names its file: "model.py, ", "cell 3, ". */
const FILE = /([^\s,;()`]+(?: \d+)?), $/;
const IS_FILE = /\.\w+["']?$|^["']?<.*>["']?$|^cell\b/;

export class Mentions {
  /** Sources by their names, with folders where the name of the file alone is that of two, as Python writes them. */
  private readonly byName = new Map<string, number | null>();
  private readonly main: number | null;
  private readonly kernels = new Map<string, string>();

  constructor(sources: View["sources"], main_source: number, kernels: readonly { readonly id: number; readonly name: string }[]) {
    for (const { id, name } of kernels) this.kernels.set(name, this.kernels.has(name) ? "" : kernelEntity(id));
    for (const { id, label } of sources) {
      const parts = label.split("/");
      for (let from = 0; from < parts.length; from++) {
        const name = parts.slice(from).join("/");
        this.byName.set(name, this.byName.has(name) ? null : id);
      }
    }
    const main = sources.at(main_source);
    this.main = main && main.kind !== "library" ? main.id : null;
  }

  /** The entity of a kernel by its name, empty where none or several have it. */
  kernel(name: string): string {
    return this.kernels.get(name) ?? "";
  }

  private mention(text: string, found: RegExpExecArray): Mention | null {
    const [whole, line, library, ofLibrary] = found;
    const end = found.index + whole.length;
    const made = (source: number | null | undefined, number: string, start: number): Mention | null => (
      typeof source === "number" ? { start, end, entity: lineEntity(source, Number(number)) } : null
    );
    if (library) return made(this.byName.get(library), ofLibrary, found.index);
    const [before, file] = FILE.exec(text.slice(0, found.index)) ?? [];
    if (before && this.byName.has(file)) return made(this.byName.get(file), line, found.index - before.length);
    // "(line 4)" tells two functions of one name apart, which are in any file
    const isInBrackets = text[found.index - 1] === "(" && text[end] === ")";
    return isInBrackets || (file && IS_FILE.test(file)) ? null : made(this.main, line, found.index);
  }

  /** A text in pieces, of which those that name a line lead to it. */
  pieces(text: string): readonly Piece[] {
    const found: Piece[] = [];
    let at = 0;
    for (const one of text.matchAll(LINE)) {
      const mention = this.mention(text, one);
      if (!mention || mention.start < at) continue;
      found.push([text.slice(at, mention.start), ""], [text.slice(mention.start, mention.end), mention.entity]);
      at = mention.end;
    }
    return [...found, [text.slice(at), ""] as const].filter(([piece]) => piece !== "");
  }
}
