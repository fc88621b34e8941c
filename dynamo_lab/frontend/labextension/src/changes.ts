// What a finding changes in a cell: from lines of what ran to characters of what stands there.

/** Lines that give way to others; `line` counts from 1 in what ran. */
export interface EditedLines {
  readonly line: number;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

export interface CellEdit {
  /** JupyterLab's id of the cell. */
  readonly cell: string;
  /** The whole text of the cell as it ran. */
  readonly ran: string;
  /** How many lines stand above line 1: IPython drops empty ones. */
  readonly above: number;
  /** In order of their lines. */
  readonly parts: readonly EditedLines[];
  /** The lines are a new cell above it. */
  readonly isAbove: boolean;
}

/** Characters to replace. */
export interface Change {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export const EDITED = "The cell was edited since it ran, so nothing was changed. Run it again: what is found then is about its new text.";
export const MISMATCH = "The lines to change are not those of the cell, so nothing was changed.";
export const UNSEEN = "The change has characters that cannot be seen in the diff, so nothing was changed.";

/** Control characters, and those that hide or turn round what stands beside them. */
const HIDDEN = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;
const COMMAND = /^# (?=%%\w)/;

const withoutEnd = (text: string): string => text.replace(/\n+$/, "");

/** A cell's command is recorded as a comment. */
function asTyped(lines: readonly string[], line: number): readonly string[] {
  return line === 1 ? lines.map((one, i) => (i === 0 ? one.replace(COMMAND, "") : one)) : lines;
}

function changeOf(lines: readonly string[], above: number, part: EditedLines): Change | null {
  const at = part.line - 1 + above;
  const [removed, added] = [asTyped(part.removed, part.line), asTyped(part.added, part.line)];
  if (at < above || at + removed.length > lines.length) return null;
  if (removed.some((line, i) => lines[at + i] !== line)) return null;
  const start = lines.slice(0, at).reduce((sum, line) => sum + line.length + 1, 0);
  const length = removed.join("\n").length;
  if (removed.length === 0) return at < lines.length ? { start, end: start, text: `${added.join("\n")}\n` } : { start: start - 1, end: start - 1, text: `\n${added.join("\n")}` };
  if (added.length > 0) return { start, end: start + length, text: added.join("\n") };
  return at + removed.length < lines.length ? { start, end: start + length + 1, text: "" } : { start: Math.max(0, start - 1), end: start + length, text: "" };
}

/** The text of a new cell above the one that ran; or a sentence that says why there is none. */
export function newCell(text: string, { ran, parts }: CellEdit): { readonly source: string } | string {
  if (withoutEnd(text) !== withoutEnd(ran)) return EDITED;
  const lines = parts.flatMap(({ added }) => added);
  if (lines.some((line) => HIDDEN.test(line))) return UNSEEN;
  return lines.length > 0 ? { source: lines.join("\n") } : MISMATCH;
}

/** What to replace in the text of a cell, the last first; or a sentence that says why nothing. */
export function changesOf(text: string, { ran, above, parts }: CellEdit): readonly Change[] | string {
  if (withoutEnd(text) !== withoutEnd(ran)) return EDITED;
  if (parts.some(({ added }) => added.some((line) => HIDDEN.test(line)))) return UNSEEN;
  const lines = text.split("\n");
  const found = parts.map((part) => changeOf(lines, above, part)).reverse();
  const changes = found.filter((one) => one !== null);
  const inOrder = changes.every((one, i) => i === 0 || one.end <= changes[i - 1].start);
  return parts.length > 0 && changes.length === parts.length && inOrder ? changes : MISMATCH;
}

/** The text with its changes made, which come last first. */
export function changed(text: string, changes: readonly Change[]): string {
  return changes.reduce((now, { start, end, text: put }) => now.slice(0, start) + put + now.slice(end), text);
}
