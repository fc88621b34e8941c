// The plain search of lists: all words must occur, in any order and place.

export function words(query: string): string[] {
  return query.toLowerCase().split(/\s+/).filter((word) => word !== "");
}

/** Indices of the texts (lower case already) that hold every word; null for an empty query. */
export function matches(texts: readonly string[], query: string): number[] | null {
  const wanted = words(query);
  if (wanted.length === 0) return null;
  const found: number[] = [];
  for (let i = 0; i < texts.length; i++) {
    const text = texts[i];
    if (wanted.every((word) => text.includes(word))) found.push(i);
  }
  return found;
}
