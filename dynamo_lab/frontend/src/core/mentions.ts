// Lines that a sentence names: "line 4" of the main source, "model.py, line 7" elsewhere, "functional.py:2109" of a library.
import { lineEntity } from "./entities";
import type { View } from "./types.generated";

/** A piece of a text; `entity` is the line that it names, empty where it names none. */
export type Piece = readonly [text: string, entity: string];

interface Mention {
  readonly start: number;
  readonly end: number;
  readonly entity: string;
}

// "line 4 of its wrapper" is a line of something else.
const LINE = /\b[Ll]ines? (\d+)(?:-\d+)?(?!\d|\.\d| of )|([^\s,;()`]+\.\w+):(\d+)(?:-\d+)?/g;
/** What stands before a line and names its file: "model.py, ", "cell 3, ". */
const FILE = /([^\s,;()`]+(?: \d+)?), $/;
const IS_FILE = /\.\w+$|^cell\b/;

export class Mentions {
  /** Sources by their names, with folders where the name of the file alone is that of two, as Python writes them. */
  private readonly byName = new Map<string, number | null>();
  private readonly main: number | null;

  constructor({ sources, main_source }: Pick<View, "sources" | "main_source">) {
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
