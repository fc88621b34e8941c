// The fast path: each call of a module that has one, whether it took it, PyTorch's words, and what to change.
import { useModel } from "../core/context";
import type { FastPathView } from "../core/types.generated";
import { Badge, Empty, Go, Prose, WhyNone } from "../ui/bits";
import { Table } from "../ui/copy/table";

const TONES: Readonly<Record<string, string>> = { taken: "good", refused: "warning", broken: "plain" };
const DEEPEST = 8;

function Row({ row }: { row: FastPathView }) {
  return (
    <tr>
      <td><Badge tone={TONES[row.state] ?? "plain"}>{row.state}</Badge></td>
      <td style={{ paddingInlineStart: `${Math.min(row.depth, DEEPEST) * 16}px` }}>
        <code>{row.name}</code>{row.count > 1 && ` × ${row.count}`}
        {row.modules && <div class="dl-dim">{row.modules}</div>}
      </td>
      <td>{row.line && row.depth === 0 && <><Go to={row.line}>{row.where}</Go> <code class="dl-fast-path-code">{row.code}</code></>}</td>
      <td class="dl-fast-path-told">
        <Prose text={row.told} />
        {row.remedy && <p><Prose text={row.remedy} /></p>}
      </td>
    </tr>
  );
}

export function FastPath() {
  const { fast_paths } = useModel().view;
  if (fast_paths.length === 0) {
    return <Empty title="No fast path"><WhyNone>No module of <code>torch.nn</code> that has a fast path was compiled.</WhyNone></Empty>;
  }
  return (
    <div class="dl-scroll">
      <Table class="dl-fast-path">
        <thead><tr><th>fast path</th><th>module</th><th>line</th><th>why</th></tr></thead>
        <tbody>{fast_paths.map((row, at) => <Row key={at} row={row} />)}</tbody>
      </Table>
    </div>
  );
}
