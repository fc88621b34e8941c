// A button that copies a text, and says whether it could.
import { useSignal } from "@preact/signals";

export function CopyButton({ text, title }: { text: string; title?: string }) {
  const status = useSignal("Copy");
  const copy = (): void => {
    const written = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error("no clipboard"));
    written.then(() => (status.value = "Copied"), () => (status.value = "Select it to copy"));
  };
  return <button type="button" class="dl-button" title={title} onClick={copy}><span aria-live="polite">{status}</span></button>;
}
