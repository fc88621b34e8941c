// An explanation as blocks: prose, and code where all lines of a paragraph are indented.

export interface Block {
  readonly kind: "prose" | "code";
  readonly text: string;
}

const INDENT = /^(?: {4}|\t)/;

export function blocks(text: string): Block[] {
  return text.split(/\n[ \t]*\n/).flatMap((paragraph): Block[] => {
    const lines = paragraph.split("\n").filter((line) => line.trim() !== "");
    if (lines.length === 0) return [];
    if (!lines.every((line) => INDENT.test(line))) return [{ kind: "prose", text: lines.map((line) => line.trim()).join("\n") }];
    const indent = Math.min(...lines.map((line) => line.length - line.trimStart().length));
    return [{ kind: "code", text: lines.map((line) => line.slice(indent).trimEnd()).join("\n") }];
  });
}
