// A table as text for elsewhere: Markdown, or CSV as RFC 4180 has it.

/** The texts of a table's cells, row by row; a cell over several columns leaves the others empty. */
export function cellsOf(table: HTMLTableElement): string[][] {
  return [...table.rows].map((row) => [...row.cells].flatMap((cell) => [
    (cell.textContent ?? "").replace(/\s+/g, " ").trim(), ...Array.from({ length: cell.colSpan - 1 }, () => ""),
  ]));
}

function padded(rows: readonly (readonly string[])[]): string[][] {
  const width = Math.max(0, ...rows.map((row) => row.length));
  return rows.map((row) => [...row, ...Array.from({ length: width - row.length }, () => "")]);
}

export function asMarkdown(rows: readonly (readonly string[])[]): string {
  const [head, ...body] = padded(rows);
  if (!head) return "";
  const line = (cells: readonly string[]): string => `| ${cells.map((cell) => cell.replaceAll("\\", "\\\\").replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), `|${head.map(() => " --- |").join("")}`, ...body.map(line)].join("\n");
}

/** Cells that a spreadsheet would compute begin with an apostrophe: they are texts of strangers. */
export function asCsv(rows: readonly (readonly string[])[]): string {
  const cell = (text: string): string => {
    const safe = /^[=+\-@\t\r]/.test(text) && !/^[+-]?[\d.,]+\s?[%\w\u00b5]*$/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return padded(rows).map((row) => row.map(cell).join(",")).join("\r\n");
}
