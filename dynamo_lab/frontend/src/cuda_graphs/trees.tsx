// The CUDA graphs of a run: their trees as rows, the paths that calls took, and the memory pool as bars.
import type { CudaNodeView, CudaOutputView, CudaTreesView, LoweringsView, PoolSegmentView, PoolView } from "../core/types.generated";
import { grouped } from "../core/words";
import { Fold, Go, Prose } from "../ui/bits";
import { Table } from "../ui/copy/table";

const MOST = 200;
const DEEPEST = 10;

function Told({ one }: { one: CudaOutputView }) {
  return <>{one.text}{one.entity ? <>, <Go to={one.entity}>{one.where}</Go></> : one.where && `, ${one.where}`}</>;
}

function Node({ node }: { node: CudaNodeView }) {
  return (
    <tr>
      <td style={{ paddingInlineStart: `${Math.min(node.depth, DEEPEST) * 18}px` }}>{node.depth > 0 && "↳ "}<b>{node.title}</b></td>
      <td>{node.entity ? <Go to={node.entity}>{node.of}</Go> : node.of}{node.why && <div class="dl-cuda-why"><Prose text={node.why} /></div>}</td>
      <td>{node.replays}</td>
      <td>{node.inputs}</td>
      <td>{node.outputs.slice(0, MOST).map((one, i) => <div key={i}><Told one={one} /></div>)}</td>
      <td>{node.memory}</td>
    </tr>
  );
}

/** A bar of the segment: each block at its place, with what lies in it. */
function Segment({ segment }: { segment: PoolSegmentView }) {
  return (
    <div class="dl-pool-segment">
      <div class="dl-dim">{segment.title}</div>
      <div class="dl-pool-bar" role="img" aria-label={segment.title}>
        {segment.blocks.map((block, i) => (
          <i key={i} class={`is-${block.state}`} title={`${block.size}, ${block.text}${block.where && `, ${block.where}`}`} style={{ insetInlineStart: `${100 * block.start}%`, width: `${100 * block.width}%` }} />
        ))}
      </div>
      <ul class="dl-pool-blocks">
        {segment.blocks.slice(0, MOST).map((block, i) => (
          <li key={i}><i class={`is-${block.state}`} /> {block.size}, {block.text}{block.entity && <>, <Go to={block.entity}>{block.where}</Go></>}</li>
        ))}
        {segment.blocks.length > MOST && <li>and {grouped(segment.blocks.length - MOST)} more</li>}
      </ul>
    </div>
  );
}

function Pool({ pool }: { pool: PoolView }) {
  return (
    <div class="dl-pool">
      <p><b>Memory pool</b>: {pool.sentence}</p>
      {pool.segments.slice(0, MOST).map((segment, i) => <Segment key={i} segment={segment} />)}
    </div>
  );
}

function Trees({ trees }: { trees: CudaTreesView }) {
  return (
    <div class="dl-cuda-trees">
      <p><b>Trees of CUDA graphs</b>: {trees.sentence}</p>
      {trees.nodes.length > 0 && (
        <Table class="dl-table">
          <thead><tr><th>recorded</th><th>of</th><th>runs</th><th>inputs</th><th>outputs</th><th>pool</th></tr></thead>
          <tbody>{trees.nodes.slice(0, MOST).map((node, i) => <Node key={i} node={node} />)}</tbody>
        </Table>
      )}
      {trees.nodes.length > MOST && <p class="dl-dim">and {grouped(trees.nodes.length - MOST)} more</p>}
      {trees.walks.length > 0 && (
        <Fold label="paths that calls took" open>
          <Table class="dl-table"><tbody>{trees.walks.map((one, i) => <tr key={i}><td class="dl-times">{one.times}</td><td>{one.text}</td></tr>)}</tbody></Table>
        </Fold>
      )}
      {trees.overwritten.length > 0 && (
        <Fold label="overwritten while they were held" open>
          <ul>{trees.overwritten.map((one, i) => <li key={i}>{one.entity && <><Go to={one.entity}>{one.where}</Go>: </>}{one.text}</li>)}</ul>
        </Fold>
      )}
      {trees.pool && <Pool pool={trees.pool} />}
    </div>
  );
}

/** What a run recorded; a sentence where none ran and the program asks for CUDA graphs. */
export function CudaTrees({ found }: { found: LoweringsView }) {
  return (
    <>
      {found.cuda_unknown && <p class="dl-dim">{found.cuda_unknown}</p>}
      {found.cuda_trees.map((trees, i) => <Trees key={i} trees={trees} />)}
    </>
  );
}
