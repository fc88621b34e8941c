import type { Signal } from "@preact/signals";

interface SearchBoxProps {
  readonly query: Signal<string>;
  readonly label: string;
  readonly placeholder: string;
}

/** "/" focuses it from anywhere; Enter and the arrow down go on to the list. */
export function SearchBox({ query, label, placeholder }: SearchBoxProps) {
  const onKeyDown = (event: KeyboardEvent & { currentTarget: HTMLInputElement }): void => {
    if (event.key === "Escape" && query.value) {
      query.value = "";
      event.preventDefault();
      event.stopPropagation();
    } else if (event.key === "Enter" || event.key === "ArrowDown") {
      event.currentTarget.closest(".dl-panel")?.querySelector<HTMLElement>(".dl-list")?.focus();
      event.preventDefault();
    }
  };
  return (
    <label class="dl-search">
      <input
        type="search" aria-label={label} placeholder={placeholder} value={query.value} spellcheck={false}
        onInput={(event) => (query.value = event.currentTarget.value)} onKeyDown={onKeyDown}
      />
      <kbd aria-hidden="true">/</kbd>
    </label>
  );
}
