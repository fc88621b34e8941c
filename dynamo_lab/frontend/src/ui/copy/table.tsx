// A table that can be copied, as Markdown or CSV.
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { CopyTable } from "./copy";

export function Table({ class: name, children }: { class?: string; children: ComponentChildren }) {
  const frame = useRef<HTMLDivElement>(null);
  return (
    <div class="dl-table-frame" ref={frame}>
      <table class={name}>{children}</table>
      <CopyTable within={frame} />
    </div>
  );
}
