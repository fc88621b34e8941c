// What an output says to us in its metadata, written by Python's `margin`. A notebook
// may come from anyone: whatever does not look as it should is left out, and texts stay texts.
import { MARKS, STATES } from "./facts.generated";

/** The key of the metadata, of the message with our settings, and what our classes begin with. */
export const NAME = "dynamo_lab";

export interface MarginLine {
  /** From 1. */
  readonly number: number;
  readonly state: (typeof STATES)[number];
  /** Of the region, from 0; -1 for none. */
  readonly colour: number;
  readonly says: string;
  /** The entity that a click leads to. */
  readonly goesTo: string;
  readonly mark: (typeof MARKS)[number] | null;
}

export interface Margin {
  /** The view to ask about these lines. */
  readonly uid: string;
  /** The cell's text as it ran. */
  readonly code: string;
  readonly lines: readonly MarginLine[];
}

type Json = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Our part of an output's metadata. */
export function ours(metadata: unknown): Json | null {
  const found = isObject(metadata) ? metadata[NAME] : null;
  return isObject(found) ? found : null;
}

function lineOf(value: unknown): MarginLine | null {
  if (!Array.isArray(value)) return null;
  const [number, state, colour, says, goesTo, mark] = value as unknown[];
  if (!Number.isInteger(number) || !Number.isInteger(colour) || typeof says !== "string" || typeof goesTo !== "string") return null;
  const known = STATES.find((one) => one === state);
  if (known === undefined) return null;
  return { number: number as number, state: known, colour: colour as number, says, goesTo, mark: MARKS.find((one) => one === mark) ?? null };
}

/** The margins that an output brings. */
export function marginsOf(metadata: unknown): readonly Margin[] {
  const found = ours(metadata);
  if (typeof found?.uid !== "string" || !Array.isArray(found.margins)) return [];
  const { uid, margins } = found;
  return (margins as unknown[]).flatMap((one) => {
    if (!isObject(one) || typeof one.code !== "string" || !Array.isArray(one.lines)) return [];
    const lines = (one.lines as unknown[]).map(lineOf).filter((line) => line !== null);
    return [{ uid, code: one.code, lines }];
  });
}

const COMMAND = /^(# )?%%\w+.*/;

/** Whether a text begins with a command such as `%%compile`, which recordings keep as a comment. */
export function hasCommand(code: string): boolean {
  return COMMAND.test(code);
}

/** The text to compare: IPython drops empty lines at the top, and fills in the command's line. */
function body(text: string): string {
  return text.replace(/^(\s*\n)+/, "").replace(COMMAND, "%%").trimEnd();
}

/** How many lines of the cell stand above the first that ran; null where it is another text. */
export function linesAbove(cell: string, code: string): number | null {
  if (body(cell) !== body(code)) return null;
  return (/^(\s*\n)+/.exec(cell)?.[0].match(/\n/g) ?? []).length;
}
