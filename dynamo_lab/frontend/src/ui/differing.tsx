// Lines of a diff: their tones, and what differs within a line.

/** The class of a line of a diff; other code has none. */
export function diffTone(line: string): string {
  return line.startsWith("+") ? "dl-added" : line.startsWith("-") ? "dl-removed" : "";
}

/** Where two texts differ: from the first to the last character, in the first of them. */
export function differing(text: string, other: string): readonly [number, number] {
  const shorter = Math.min(text.length, other.length);
  let start = 0;
  while (start < shorter && text[start] === other[start]) start++;
  let end = 0;
  while (end < shorter - start && text[text.length - 1 - end] === other[other.length - 1 - end]) end++;
  return widened(text, start, text.length - end);
}

/** Whole words: half a name says nothing. */
function widened(text: string, start: number, end: number): readonly [number, number] {
  const isWord = (at: number): boolean => /[\w.]/.test(text[at] ?? "");
  if (start === end) return [start, end];
  while (start > 0 && isWord(start - 1) && isWord(start)) start--;
  while (end < text.length && isWord(end) && isWord(end - 1)) end++;
  return [start, end];
}

/** The text, with what differs from the other side marked. */
export function Differing({ text, other }: { text: string; other: string }) {
  const [start, end] = differing(text, other);
  if (start >= end) return <>{text}</>;
  return <>{text.slice(0, start)}<mark class="dl-differs">{text.slice(start, end)}</mark>{text.slice(end)}</>;
}
