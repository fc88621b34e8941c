// Buttons that copy: a text, a table as Markdown or CSV. Each says whether it could.
import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { asCsv, asMarkdown, cellsOf } from "./table-text";

const FAILED = "Select it to copy";

interface CopyButtonProps {
  readonly text: string | (() => string);
  readonly label?: string;
  readonly title?: string;
}

export function CopyButton({ text, label = "Copy", title }: CopyButtonProps) {
  const status = useSignal("");
  const copy = (): void => {
    const copied = typeof text === "string" ? text : text();
    const written = navigator.clipboard?.writeText(copied) ?? Promise.reject(new Error("no clipboard"));
    written.then(() => (status.value = "Copied"), () => (status.value = FAILED));
  };
  return <button type="button" class="dl-button dl-copy" data-own title={title} onClick={copy}><span aria-live="polite">{status.value || label}</span></button>;
}

/** Copies the tables in an element, as they are shown. */
export function CopyTable({ within }: { within: RefObject<HTMLElement | null> }) {
  const tables = (): string[][][] => [...(within.current?.querySelectorAll("table") ?? [])].map(cellsOf);
  return (
    <span class="dl-copy-table">
      <CopyButton text={() => tables().map(asMarkdown).join("\n\n")} label="Copy Markdown" title="Copy the table as Markdown" />
      <CopyButton text={() => tables().map(asCsv).join("\r\n\r\n")} label="CSV" title="Copy the table as CSV" />
    </span>
  );
}
