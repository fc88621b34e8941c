// Kernel by kernel: each group of kernels against the eager operators that it replaced.
import { useSignal } from "@preact/signals";
import { useModel, usePart, useStore } from "../core/context";
import { kernelEntity } from "../core/entities";
import type { Cache, KernelGroupView, ProgramView } from "../core/types.generated";
import { plural } from "../core/words";
import { Empty, Fold, Go } from "../ui/bits";
import { cachesOf, grouped, LEGEND, SHOWN } from "./charts";
import { benchmarksState } from "./state";

type Outcome = KernelGroupView["cold"]["outcome"];

/** Only those that occur are in the legend. */
const OUTCOMES: readonly (readonly [Outcome, string])[] = [["faster", "faster"], ["alike", "without a sure difference"], ["slower", "slower"]];

/** The whole call as one bar. */
function Sum({ program }: { program: ProgramView }) {
  const all = program.parts.reduce((sum, part) => sum + part.seconds, 0) || 1;
  if (program.parts.length === 0) return null;
  return (
    <figure class="dl-sum">
      <div class="dl-sum-bar" aria-hidden="true">
        {program.parts.map((part, i) => <i key={part.name} class={`dl-${LEGEND[i]}`} style={{ width: `${(100 * part.seconds) / all}%` }} title={`${part.name}: ${part.text}, ${part.share}`} />)}
      </div>
      <figcaption>
        <b>{program.whole}</b> a call as it runs, warm{program.adds_up ? " = " : ", but measured separately "}
        {program.parts.map((part, i) => <span key={part.name}>{i > 0 && " + "}<i class={`dl-swatch dl-${LEGEND[i]}`} /> {part.name} {part.text} <span class="dl-dim">({part.share})</span></span>)}
        <p class="dl-dim">{program.remainder}</p>
      </figcaption>
    </figure>
  );
}

/** The kernel that takes the most of a call, and its line. */
export function Slowest({ program }: { program: ProgramView }) {
  if (!program.slowest) return null;
  const { sentence, kernels } = program.slowest;
  return (
    <>
      {sentence}: {kernels.map((one, i) => (
        <span key={one.id}>{i > 0 && "; "}<Go to={kernelEntity(one.id)}>{one.title}</Go>{one.where && ", "}{one.line ? <Go to={one.line}>{one.where}</Go> : one.where}</span>
      ))}
    </>
  );
}

function Bar({ value, most, text, look }: { value: number | null; most: number; text: string; look: string }) {
  return (
    <div class="dl-pair-bar">
      {value === null ? <span class="dl-dim">not timed</span> : <><i class={look} style={{ width: `calc((100% - 62px) * ${value / most})` }} /><span>{text}</span></>}
    </div>
  );
}

function Details({ group }: { group: KernelGroupView }) {
  return (
    <Fold label={[group.kernels.length > 0 && plural(group.kernels.length, "kernel"), group.eager.length > 0 && plural(group.eager.length, "operator")].filter(Boolean).join(" for ")}>
      <ul class="dl-plain">
        {group.kernels.map((one) => <li key={one.id}><Go to={kernelEntity(one.id)}>{one.title}</Go> <span class="dl-dim">{[one.language, one.calls > 1 && `${one.calls} calls`, one.time, one.problem].filter(Boolean).join(", ")}</span></li>)}
        {group.eager.map((one, i) => <li key={i}>{one.entity ? <Go to={one.entity}>{one.name}</Go> : <code>{one.name}</code>} <span class="dl-dim">{[one.arguments, one.calls > 1 && `${one.calls} calls`, one.time, one.problem].filter(Boolean).join(", ")}</span></li>)}
      </ul>
    </Fold>
  );
}

function Group({ group, most, cache }: { group: KernelGroupView; most: number; cache: Cache }) {
  const store = useStore();
  const { kin } = useModel();
  const pair = group[cache];
  const ids = group.kernels.map((one) => kin.vertex("kernel", one.id));
  const isIn = (mask: Uint8Array | null): boolean => mask !== null && ids.some((id) => mask[id] === 1);
  const entity = group.kernels.length > 0 ? group.kernels.map((one) => kernelEntity(one.id)).join(" ") : group.eager.map((one) => one.entity).filter(Boolean).join(" ");
  return (
    <li class={`dl-bench-group${isIn(store.lit.value) ? " is-lit" : ""}${isIn(store.held.value) ? " is-held" : ""}`} data-entity={entity}>
      <div class="dl-pair-bars" title={`eager ${pair.eager_text || "not timed"}, kernels ${pair.kernels_text || "not timed"}`}>
        {group.eager.length > 0 && <Bar value={pair.eager} most={most} text={pair.eager_text} look="dl-bar-eager" />}
        {group.kernels.length > 0 && <Bar value={pair.kernels} most={most} text={pair.kernels_text} look={`dl-bar-${pair.outcome || "alike"}`} />}
      </div>
      <div class="dl-group-factor">
        {pair.factor && <><b class={`dl-out-${pair.outcome}`} title={`times as fast as eager's operators: ${pair.interval}`}>{pair.factor}{"\u00d7"}</b><span class="dl-dim">{pair.outcome === "alike" ? "no sure difference" : pair.outcome === "" ? "too few rounds to tell" : pair.gain}</span></>}
      </div>
      <div class="dl-bench-names">
        <p>{group.kernels.length > 0 ? <Go to={kernelEntity(group.kernels[0].id)} inRow>{group.title}</Go> : group.title}{group.operators && <span class="dl-dim"> for {group.operators}</span>}</p>
        <p class="dl-dim">
          {[group.share && `${group.share} of a warm call`, group.launch && `launch ${group.launch}`].filter(Boolean).join(", ")}{" "}
          {group.line ? <Go to={group.line} inRow>{group.where}</Go> : group.where}
        </p>
        {group.why && <p class={pair.outcome === "slower" ? "dl-bad-text" : "dl-dim"}>{group.why}</p>}
        <Details group={group} />
      </div>
    </li>
  );
}

export function BenchKernels({ programs }: { programs: readonly ProgramView[] }) {
  const { cache: chosen } = usePart(benchmarksState);
  const at = useSignal(0);
  const shown = useSignal(SHOWN);
  const program = programs[at.value] ?? programs[0];
  const caches = cachesOf(program);
  const cache = caches.includes(chosen.value) ? chosen.value : (caches[0] ?? chosen.value);
  const { groups, most } = grouped(program, cache);
  const hasEager = groups.some((group) => group.eager.length > 0);
  const count = (outcome: Outcome): number => groups.filter((group) => group[cache].outcome === outcome).length;
  return (
    <>
      <div class="dl-toolbar">
        {programs.length > 1 && (
          <div class="dl-segments" role="group" aria-label="Program">
            {programs.map((one, i) => <button key={one.title} type="button" aria-pressed={one === program} onClick={() => (at.value = i)}>{one.title}</button>)}
          </div>
        )}
        {caches.length > 1 && <div class="dl-segments" role="group" aria-label="Caches">
          {caches.map((one) => <button key={one} type="button" aria-pressed={one === cache} onClick={() => (chosen.value = one)}>{one} caches</button>)}
        </div>}
        {caches.length === 1 && <span class="dl-dim">{cache} caches</span>}
        {hasEager && <span class="dl-dim"><i class="dl-swatch dl-bar-eager" /> eager operators {OUTCOMES.filter(([outcome]) => count(outcome) > 0).map(([outcome, name]) => <span key={outcome}><i class={`dl-swatch dl-bar-${outcome}`} /> {count(outcome)} {name} </span>)}</span>}
      </div>
      {program.problem && <p class="dl-refused">{program.problem}</p>}
      <Sum program={program} />
      <p class="dl-slowest"><Slowest program={program} /></p>
      {groups.length === 0 && <Empty title="No kernel was timed" />}
      <ul class="dl-bench-groups">
        {groups.slice(0, shown.value).map((group, i) => <Group key={i} group={group} most={most} cache={cache} />)}
      </ul>
      {groups.length > shown.value && <button type="button" class="dl-button dl-more" onClick={() => (shown.value += SHOWN)}>{plural(groups.length - shown.value, "more group")}</button>}
      {program.remarks.length > 0 && <ul class="dl-verdicts" aria-label="How far these times can be trusted">{program.remarks.map((remark) => <li key={remark} class="dl-tone-warning">{remark}</li>)}</ul>}
    </>
  );
}
