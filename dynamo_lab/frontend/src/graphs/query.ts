// The language that nodes are searched in: op:mm dtype:f32 shape:*x128 -module:head "text".
// Python's `query` speaks it too; one table of cases holds both to it.
import { FIELDS, STAGES, WIDENED } from "../core/tables.generated";

const TERM = /(?:[^ \t\r\n"]|"[^"]*"?)+/g;
const FIELD = /^([A-Za-z_]+):(?!:)(.*)$/s;
const LINES = /^(?:(.*):)?([0-9]{1,9})(?:-([0-9]{1,9}))?$/s;
const BYTES = /^(>=|<=|>|<|=)?([0-9]{1,15}(?:\.[0-9]{1,6})?) ?([kmgt])?(i)?b?$/;
const COUNT = /^(>=|<=|>|<|=)?([0-9]{1,9})$/;
const LONG_DTYPE = /^(b?)(float|uint|int|complex)([0-9]+.*)$/s;

/** One condition, as in query.py. */
export interface Term {
  readonly field: string;
  readonly value: string;
  readonly isNegated: boolean;
  readonly low: number;
  readonly high: number;
  readonly file: string;
}

/** The conditions that a query joins with "and", or a sentence on what is not understood. */
export function parse(text: string): readonly Term[] | string {
  const terms: Term[] = [];
  for (const [word] of text.matchAll(TERM)) {
    const isNegated = word.length > 1 && word.startsWith("-");
    const field = FIELD.exec(isNegated ? word.slice(1) : word);
    if (field) {
      const term = termOf(field[1].toLowerCase(), unquoted(field[2]), isNegated);
      if (typeof term === "string") return term;
      terms.push(term);
    } else {
      const value = unquoted(isNegated ? word.slice(1) : word);
      if (!value) return 'Between quotes there is no text: write one, as in `"8, 64"`.';
      terms.push({ field: "", value, isNegated, low: 0, high: 0, file: "" });
    }
  }
  return terms;
}

/** The query with `*` around what has to fit as a whole; empty where that changes nothing. */
export function widened(text: string): string {
  const words = [...text.matchAll(TERM)].map(([word]) => word);
  const made = words.map(widenedWord);
  return made.some((word, i) => word !== words[i]) ? made.join(" ") : "";
}

export function normalDtype(text: string): string {
  if (text === "bool") return "b8";
  const long = LONG_DTYPE.exec(text);
  return long ? `${long[1]}${long[2][0]}${long[3]}` : text;
}

/** A regular expression of a text in which `*` is any text and `?` is `one`. */
export const glob = (value: string, one = "."): string =>
  [...value].map((c) => (c === "*" ? ".*" : c === "?" ? one : c.replace(/[.+^${}()|[\]\\/-]/, "\\$&"))).join("");
export const whole = (value: string, one?: string): RegExp => new RegExp(`^${glob(value, one)}$`, "s");

const unquoted = (text: string): string => text.replaceAll('"', "").toLowerCase();

const unfit = (field: string): string => `\`${field}:\` wants a value, as in ${FIELDS[field]}.`;

function termOf(field: string, value: string, isNegated: boolean): Term | string {
  const term = { field, value, isNegated, low: 0, high: 0, file: "" };
  if (!Object.hasOwn(FIELDS, field)) {
    const names = Object.keys(FIELDS);
    return `There is no field \`${field}\`: pass ${names.slice(0, -1).join(", ")} or ${names.at(-1)}, or put the text in quotes.`;
  }
  switch (field) {
    case "line": {
      const match = LINES.exec(value);
      if (!match) return unfit(field);
      return { ...term, low: Number(match[2]), high: Number(match[3] ?? match[2]), file: match[1] ?? "" };
    }
    case "bytes":
    case "users": {
      const match = (field === "bytes" ? BYTES : COUNT).exec(value);
      return match ? { ...term, ...range(match) } : unfit(field);
    }
  }
  if (!value) return unfit(field);
  if (field === "stage") {
    const fits = whole(value);
    const isStage = STAGES.some((stage) => fits.test(stage) || fits.test(`${stage}_backward`));
    return isStage ? term : `There is no stage \`${value}\`: pass ${STAGES.slice(0, -1).join(", ")} or ${STAGES.at(-1)}, or one with \`_backward\` behind.`;
  }
  if (field === "shape") return { ...term, value: value.replace(/[[\]()]/g, "").replace(/ *[,\u00d7] */g, "x").replace(/^ +| +$/g, "") };
  return field === "dtype" ? { ...term, value: normalDtype(value) } : term;
}

/** The lowest and the highest whole number that fits. */
function range(match: RegExpExecArray): { low: number; high: number } {
  const unit = match[3] ? (match[4] ? 1024 : 1000) ** ("kmgt".indexOf(match[3]) + 1) : 1;
  const amount = Number(match[2]) * unit;
  const atLeast = Math.ceil(amount);
  switch (match[1]) {
    case ">": return { low: Math.floor(amount) + 1, high: Infinity };
    case ">=": return { low: atLeast, high: Infinity };
    case "<": return { low: 0, high: atLeast - 1 };
    case "<=": return { low: 0, high: Math.floor(amount) };
    default: return { low: atLeast, high: Math.floor(amount) };
  }
}

function widenedWord(word: string): string {
  const field = FIELD.exec(word);
  if (word.startsWith("-") || !field || !WIDENED.includes(field[1].toLowerCase()) || field[2].includes("*")) return word;
  const value = field[2].replaceAll('"', "");
  return value.includes(" ") ? `${field[1]}:"*${value}*"` : `${field[1]}:*${value}*`;
}
