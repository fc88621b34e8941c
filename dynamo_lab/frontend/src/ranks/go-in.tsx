// Leads to a line or a node of one rank's recording, which is shown first where another one's is.
import type { ComponentChildren } from "preact";
import { useStore } from "../core/context";
import { Go, Prose } from "../ui/bits";

interface Goal {
  readonly label: string;
  /** Empty where it is not known. */
  readonly to: string;
}

export function GoIn({ label, to, children }: Goal & { readonly children: ComponentChildren }) {
  const store = useStore();
  const { recordings } = store.source;
  const isThere = recordings.entries.value.some((entry) => entry.label === label);
  if (!to || !isThere) return <>{children}</>;
  if (recordings.shown.value?.label === label) return <Go to={to}>{children}</Go>;
  const open = (): void => {
    recordings.show(label);
    store.go(to);
  };
  return <button type="button" class="dl-go" data-own title={`In the recording of ${label}`} onClick={open}>{children}</button>;
}

/** What asked for a collective, in words that may end with the node that did. */
export function Asked({ text, node, ...goal }: Goal & { readonly text: string; readonly node: string }) {
  const isNamed = node !== "" && text.endsWith(node);
  return <><Prose text={isNamed ? text.slice(0, -node.length) : text} />{isNamed && <GoIn {...goal}><Prose text={node} plain /></GoIn>}</>;
}
