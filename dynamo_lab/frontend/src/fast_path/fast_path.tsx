// The fast path: each call of a module that has one, whether it took it, PyTorch's words, and what to change.
import { useModel } from "../core/context";
import type { FastPathView } from "../core/types.generated";
import { Badge, Empty, Go, Prose, WhyNone } from "../ui/bits";

const TONES: Readonly<Record<string, string>> = { taken: "good", refused: "warning", broken: "plain" };
const DEEPEST = 8;

function Call({ row }: { row: FastPathView }) {
  return (
    <article class="dl-card dl-fast-path" style={{ marginInlineStart: `${Math.min(row.depth, DEEPEST) * 20}px` }}>
      <header>
        <Badge tone={TONES[row.state] ?? "plain"}>{row.state}</Badge>
        <h3><code>{row.name}</code>{row.count > 1 && ` × ${row.count}`}</h3>
        {row.modules && <span class="dl-dim">{row.modules}</span>}
      </header>
      {row.line && row.depth === 0 && <p><Go to={row.line}>{row.where}</Go> <code>{row.code}</code></p>}
      <p><Prose text={row.told} /></p>
      {row.remedy && <p class="dl-dim"><Prose text={row.remedy} /></p>}
    </article>
  );
}

export function FastPath() {
  const { fast_paths } = useModel().view;
  if (fast_paths.length === 0) {
    return <Empty title="No fast path"><WhyNone>No module of <code>torch.nn</code> that has a fast path was compiled.</WhyNone></Empty>;
  }
  return <div class="dl-scroll dl-cards">{fast_paths.map((row, at) => <Call key={at} row={row} />)}</div>;
}
