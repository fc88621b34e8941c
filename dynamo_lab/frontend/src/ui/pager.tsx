// Which part of a long list is drawn, and the steps to its neighbours.
import { PAGE, type Page } from "./paging";
import { grouped } from "../core/words";

interface PagerProps {
  readonly page: Page;
  readonly count: number;
  readonly word: string;
  choose(first: number): void;
}

export function Pager({ page, count, word, choose }: PagerProps) {
  if (count <= PAGE) return null;
  const [first, end, all] = [page.first + 1, page.end, count].map(grouped);
  return (
    <span class="dl-pager">
      <span role="status">{word} {first}{"\u2013"}{end} of {all}</span>
      <button type="button" class="dl-button" disabled={page.first === 0} onClick={() => choose(page.first - PAGE)}>Earlier</button>
      <button type="button" class="dl-button" disabled={page.end === count} onClick={() => choose(page.end)}>Later</button>
    </span>
  );
}
