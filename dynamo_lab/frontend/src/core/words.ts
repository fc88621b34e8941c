// Amounts and texts as they are shown.

/** So many bytes, as Python's `words` writes them: "512 B", "3.1 MB". */
export function bytesText(count: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let [amount, unit] = [count, 0];
  while (amount >= 999.5 && unit < units.length - 1) [amount, unit] = [amount / 1000, unit + 1];
  const shown = unit === 0 || amount >= 99.5 ? amount.toFixed(0) : amount.toFixed(1);
  return `${shown.replace(/\.0$/, "")} ${units[unit]}`;
}

export function seconds(value: number): string {
  if (value >= 10) return `${value.toFixed(1)} s`;
  if (value >= 1) return `${value.toFixed(2)} s`;
  if (value >= 0.001) return `${(value * 1000).toFixed(value >= 0.1 ? 0 : 1)} ms`;
  return value > 0 ? `${(value * 1e6).toFixed(value >= 1e-5 ? 0 : 1)} \u00b5s` : "0 s";
}

/** In a narrow row, folders would push out the lines. */
export const withoutFolders = (where: string): string => where.replace(/[^\s,]*\//g, "");

const NUMBERS = new Intl.NumberFormat("en");

/** A count with its thousands apart. `toLocaleString` would look the language up for each number of a list. */
export const grouped = (count: number): string => NUMBERS.format(count);

export const plural = (count: number, word: string): string => `${grouped(count)} ${word}${count === 1 ? "" : "s"}`;

/** The text, with an ellipsis where it is longer than this. */
export const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}\u2026` : text);

/** What to show of something that was thrown. */
export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
