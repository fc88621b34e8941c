// The lowering as a whole: what became of the operators, what is called, and the operators of the loops.
import { bufferEntity } from "../core/entities";
import type { AutotuningView, CalledView, CudaGraphsView, LoweringsView } from "../core/types.generated";
import { grouped, plural } from "../core/words";
import { CudaTrees } from "../cuda_graphs/trees";
import { Badge, Fold, Go, Prose } from "../ui/bits";
import { Table } from "../ui/copy/table";
import { OUTCOME_TEXTS, OUTCOME_TONES } from "./items";

const MOST = 12;

function Outcomes({ found }: { found: LoweringsView }) {
  const totals = new Map<string, number>();
  for (const { counts } of found.lowerings) for (const [outcome, times] of counts) totals.set(outcome, (totals.get(outcome) ?? 0) + times);
  return (
    <Table class="dl-table">
      <caption>What the operators became</caption>
      <tbody>
        {[...totals].map(([outcome, times]) => (
          <tr key={outcome}><td class="dl-times">{grouped(times)}</td><td><Badge tone={OUTCOME_TONES[outcome] ?? "grey"}>{outcome}</Badge></td><td>{OUTCOME_TEXTS[outcome]}</td></tr>
        ))}
      </tbody>
    </Table>
  );
}

function Called({ item, found }: { item: CalledView; found: LoweringsView }) {
  return (
    <tr>
      <td class="dl-times">{grouped(item.times)}</td>
      <td><code>{item.kernel}</code></td>
      <td><Prose text={item.why} /> <span class="dl-called">{item.buffers.slice(0, MOST).map((id) => <Go key={id} to={bufferEntity(id)}>{found.buffers[id].name}</Go>)}{item.buffers.length > MOST && <span class="dl-dim">and {item.buffers.length - MOST} more</span>}</span></td>
    </tr>
  );
}

/** Whether CUDA graphs replay a graph, and what keeps operations out. */
function CudaGraphs({ title, found }: { title: string; found: CudaGraphsView }) {
  return (
    <div class="dl-cuda-graphs">
      <p><b>CUDA graphs</b> of {title}: <Badge tone={found.use === "used" ? "stored" : "called"}>{found.use}</Badge> <Prose text={found.sentence} />{found.entity && <> <Go to={found.entity}>{found.where}</Go></>}</p>
      {found.parts.length > 1 && (
        <Table class="dl-table">
          <tbody>
            {found.parts.map((part, i) => (
              <tr key={i}><td class="dl-times">{part.calls}</td><td>{part.is_recorded ? "recorded" : <Prose text={part.reason} />}</td><td>{part.entity && <Go to={part.entity}>{part.where}</Go>}</td></tr>
            ))}
          </tbody>
        </Table>
      )}
    </div>
  );
}

/** The candidates that were timed for an operator, and why one was taken. */
function Autotuning({ found }: { found: AutotuningView }) {
  return (
    <div class="dl-autotuning">
      <p><b>Autotuned</b>: {found.title} {found.entity && <Go to={found.entity}>{found.where}</Go>} <Prose text={found.sentence} /></p>
      <Table class="dl-table">
        <thead><tr><th>time</th><th>of the fastest</th><th>candidate</th><th /></tr></thead>
        <tbody>
          {found.candidates.map((one, i) => (
            <tr key={i}>
              <td class="dl-times">{one.time || "not timed"}</td><td class="dl-times">{one.ratio}</td>
              <td><code>{one.name}</code> {one.is_chosen && <Badge tone="stored">taken</Badge>}</td><td class="dl-dim">{one.kind}{one.description && `: ${one.description}`}</td>
            </tr>
          ))}
        </tbody>
      </Table>
    </div>
  );
}

export function LoweringOverview({ found }: { found: LoweringsView }) {
  return (
    <div class="dl-lowering-overview">
      <Fold label="how to read this" open>
        <p class="dl-told">
          {found.lowerings[0].compiler} goes through the graph operator by operator. Each has a lowering rule, which mostly makes a loop: a small program in
          the loop IR, that says how one element is computed. Nothing is stored yet; a reader takes the loop into its own. Only where that would not do is
          the loop's result <i>realised</i>: it becomes a buffer in memory. The operators show that one by one, with the reason; the buffers show the loops that came out, each line with the operator that it came from.
        </p>
      </Fold>
      {found.lowerings.map((lowering) => lowering.cuda_graphs && <CudaGraphs key={lowering.graph} title={lowering.title} found={lowering.cuda_graphs} />)}
      <CudaTrees found={found} />
      {found.lowerings.flatMap(({ graph, autotunings }) => autotunings.map((one, i) => <Autotuning key={`${graph}-${i}`} found={one} />))}
      <Outcomes found={found} />
      {found.called.length > 0 && (
        <Table class="dl-table">
          <caption>Kernels that are called instead of a loop</caption>
          <tbody>{found.called.map((item, i) => <Called key={i} item={item} found={found} />)}</tbody>
        </Table>
      )}
      {found.operators.length > 0 && (
        <Table class="dl-table">
          <caption>Operators of the loop IR, in all loops</caption>
          <tbody>
            {found.operators.map((item) => (
              <tr key={item.name}><td class="dl-times">{grouped(item.count)}</td><td><code>{item.name}</code></td><td>{item.text && `${item.text}; `}<span class="dl-dim">in {plural(item.buffers, "buffer")}</span></td></tr>
            ))}
          </tbody>
        </Table>
      )}
    </div>
  );
}
