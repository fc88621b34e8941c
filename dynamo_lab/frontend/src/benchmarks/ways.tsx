// Ways that were timed in turns: a row each, with every round as a dot.
import type { BenchView, TimeView } from "../core/types.generated";
import { seconds } from "../core/words";
import { Table } from "../ui/copy/table";
import { type Scale, scaleOf, STRIP, tickText, y } from "./charts";

function Strip({ row, scale }: { row: TimeView; scale: Scale }) {
  const { low, median, high } = row;
  const dot = (value: number, at: number, count: number, what: string) => (
    <circle key={what + at} class={`dl-dot-${what}`} cx={scale.x(value)} cy={y(at, count)} r="2"><title>{`${what} ${at + 1}: ${seconds(value)}`}</title></circle>
  );
  return (
    <svg class="dl-strip" viewBox={`0 0 ${STRIP.width} ${STRIP.height}`} role="img" aria-label={`${row.rounds}, median ${row.time}, quartiles ${row.quartiles}`}>
      {scale.ticks.map((tick) => <line key={tick} class="dl-strip-tick" x1={scale.x(tick)} x2={scale.x(tick)} y1="0" y2={STRIP.height} />)}
      <rect x={scale.x(low)} width={Math.max(1, scale.x(high) - scale.x(low))} y="1" height={STRIP.height - 2} rx="2"><title>{`quartiles: ${row.quartiles}`}</title></rect>
      {row.warmup.map((value, at) => dot(value, at, row.seconds.length, "warm-up"))}
      {row.seconds.map((value, at) => dot(value, at, row.seconds.length, "round"))}
      <line class="dl-strip-median" x1={scale.x(median)} x2={scale.x(median)} y1="0" y2={STRIP.height} />
    </svg>
  );
}

function Axis({ scale }: { scale: Scale }) {
  return (
    <svg class="dl-strip" viewBox={`0 0 ${STRIP.width} 13`} aria-hidden="true">
      {scale.ticks.map((tick) => <text key={tick} x={Math.min(STRIP.width - 18, Math.max(18, scale.x(tick)))} y="10" text-anchor="middle">{tickText(tick, scale.ticks)}</text>)}
    </svg>
  );
}

function Row({ row, scale, isAlone }: { row: TimeView; scale: Scale; isAlone: boolean }) {
  return (
    <tr>
      <th scope="row">{row.name}</th>
      <td class="dl-strip-cell"><Strip row={row} scale={scale} /></td>
      <td><b>{row.time}</b><br /><span class="dl-dim" title={row.rounds}>{row.quartiles}</span></td>
      <td>
        {row.factor ? <><b class={`dl-tone-${row.tone}`}>{row.factor}</b><br /><span class="dl-dim">{row.interval}</span></> : !isAlone && row.way === 0 && <span class="dl-dim" title="The others are compared with it">the reference</span>}
        {row.doubts.map((text) => <span key={text} class="dl-doubt" title={text}>{text.split(":")[0]}</span>)}
      </td>
      <td title={row.pays_off}>{row.compile}{row.pays_off && <><br /><span class="dl-dim">{row.pays_off.split(/ \(|:/)[0].replace("pays off ", "")}</span></>}</td>
      <td>{row.memory}</td>
    </tr>
  );
}

/** All tables as one, so that their columns stand below each other. */
export function Ways({ sections }: { sections: BenchView["sections"] }) {
  return (
    <Table class="dl-totals dl-ways">
      {sections.map(({ title, rows }) => {
        const scale = scaleOf(rows);
        return (
          <tbody key={title}>
            <tr class="dl-ways-title"><th colSpan={6} scope="rowgroup">{title}</th></tr>
            <tr class="dl-dim">
              <th /><th scope="col" title="One dot per round, the first on top; the band holds the middle half. Pale: warm-ups, which do not count."><Axis scale={scale} /></th>
              <th scope="col">time a call</th><th scope="col">times faster</th><th scope="col" title="The time of the first call beyond a later one, and after how many calls that pays off">compile, pays off</th><th scope="col" title="The peak memory of a call beyond what was allocated before it">memory</th>
            </tr>
            {rows.map((row) => <Row key={row.way} row={row} scale={scale} isAlone={rows.length < 2} />)}
          </tbody>
        );
      })}
    </Table>
  );
}
