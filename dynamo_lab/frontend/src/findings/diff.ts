// The lines of a change as a diff to read: what goes, what comes, and a line around them.
import { type EditedLines, LINE, type SourceEdit, type SourceView } from "../core/types.generated";

export interface DiffRow {
  /** Null for a line that comes. */
  readonly number: number | null;
  readonly sign: "+" | "-" | " ";
  readonly text: string;
}

/** A cell's command is recorded as a comment. */
const asTyped = (text: string, line: number): string => (line === 1 ? text.replace(/^# (?=%%\w)/, "") : text);

const addedBy = ({ line, added }: EditedLines): DiffRow[] => added.map((text, i) => ({ number: null, sign: "+", text: asTyped(text, line + i) }));

/** The numbers of the lines to show: those that go, and one before and after. */
function shown(parts: readonly EditedLines[]): readonly number[] {
  const around = parts.flatMap(({ line, removed }) => Array.from({ length: removed.length + 2 }, (_, i) => line - 1 + i));
  return [...new Set(around)].sort((a, b) => a - b);
}

/** The rows of each place that changes; places that touch are one. */
export function diffOf({ parts }: SourceEdit, source: SourceView | undefined): readonly (readonly DiffRow[])[] {
  const kept = new Map((source?.lines ?? []).map((line) => [line[LINE.number], line[LINE.text]]));
  const gone = new Map(parts.flatMap(({ line, removed }) => removed.map((text, i) => [line + i, text] as const)));
  const found: DiffRow[][] = [];
  let previous = Number.NaN;
  for (const number of shown(parts)) {
    if (number !== previous + 1) found.push([]);
    const text = gone.get(number) ?? kept.get(number);
    const sign = gone.has(number) ? "-" : " ";
    found.at(-1)?.push(
      ...parts.filter(({ line, removed }) => line === number && removed.length === 0).flatMap(addedBy),
      ...(text === undefined ? [] : [{ number, sign, text: asTyped(text, number) } as const]),
      ...parts.filter(({ line, removed }) => removed.length > 0 && line + removed.length - 1 === number).flatMap(addedBy),
    );
    previous = number;
  }
  return found;
}

/** What to paste: the lines that come, as they stand there. */
export function newLines({ parts }: SourceEdit): string {
  return parts.flatMap(addedBy).map(({ text }) => text).join("\n");
}
