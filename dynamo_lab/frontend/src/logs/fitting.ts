// Which messages of a log a search finds.
import type { LogView } from "../core/types.generated";

/** The first line of a message that says something. */
export const firstLine = (text: string): string => text.split("\n").find((line) => line.trim() !== "") ?? "";

/** Those whose log is called so; else those that hold the words, in whatever case. */
export function fitting(records: readonly LogView[], query: string): readonly LogView[] {
  const wanted = query.trim().toLowerCase();
  if (!wanted) return records;
  const named = records.filter((one) => one.name === wanted || one.compile_id === wanted);
  return named.length > 0 ? named : records.filter((one) => `${one.name}\n${one.text}`.toLowerCase().includes(wanted));
}
