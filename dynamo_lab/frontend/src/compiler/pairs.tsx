// Which loops share a kernel with the operator's, verdict by verdict, and what the reader says instead.
import type { ScheduleView } from "../core/types.generated";
import { OUTCOME_TONE } from "../fusion/names";
import { filler } from "../fusion/why-not";
import { Badge, Prose } from "../ui/bits";
import type { Change } from "./change";
import { type BufferPair, pairsAbout } from "./items";

interface PairsProps {
  readonly schedule: ScheduleView;
  readonly buffers: readonly string[];
  readonly busy: boolean;
  readonly change?: Change;
}

const name = (group: readonly string[]): string => group.join("+");

export function Pairs({ schedule, buffers, busy, change }: PairsProps) {
  const pairs = pairsAbout(schedule, buffers);
  if (pairs.length === 0) return <p class="dl-stage-note dl-dim">No other loop was a candidate: none shares memory with these.</p>;
  return (
    <ul class="dl-stage-pairs">
      {pairs.map((pair) => <Pair key={`${name(pair.first)} ${name(pair.second)}`} schedule={schedule} pair={pair} busy={busy} change={change} />)}
    </ul>
  );
}

function Pair({ schedule, pair, busy, change }: Omit<PairsProps, "buffers"> & { pair: BufferPair }) {
  const { first, second, ruling } = pair;
  const isFused = ruling.outcome === "fused";
  const why = ruling.why.map((advice) => filler(schedule, pair.producer, pair.consumer)(advice.why)).join(" ");
  const ask = (): void => void change?.({ what: isFused ? "apart" : "fuse", first, second });
  return (
    <li>
      <Badge tone={OUTCOME_TONE[ruling.outcome]}>{ruling.outcome}</Badge>
      <code>{name(first)}</code> <span class="dl-dim">with</span> <code>{name(second)}</code>
      <span class="dl-dim" title="of memory that both touch">{ruling.saves}</span>
      {change && <button type="button" class="dl-button" disabled={busy} data-own onClick={ask}>{isFused ? "Keep apart" : "Fuse anyway"}</button>}
      {why && <p><Prose text={why} /></p>}
    </li>
  );
}
