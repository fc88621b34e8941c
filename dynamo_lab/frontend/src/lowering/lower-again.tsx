// The panel of switches: another target or setting, and the kernel lowers the program again.
import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { usePart, useStore } from "../core/context";
import { type Asked, type Entry, NOTHING, type SwitchValue } from "../core/recordings";
import { offers } from "../core/source";
import type { Panel, SwitchState } from "../core/types.generated";
import { Fold, Prose } from "../ui/bits";
import { Busy } from "../ui/busy";
import { loweringState } from "./state";
import { messageOf } from "../core/words";

export function PanelButton() {
  const { source } = useStore();
  const { isPanelOpen } = usePart(loweringState);
  if (!source.runs || !offers(source, "lower")) return null;
  return (
    <button type="button" class="dl-button" aria-expanded={isPanelOpen.value} title="Lower this program again, for another target or with other switches" onClick={() => (isPanelOpen.value = !isPanelOpen.value)}>
      Lower again
    </button>
  );
}

/** How Python writes a value: it can be typed into `relower` so. */
export function written(value: SwitchValue): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  return String(value);
}

/** What is asked for after one change; a value that is in force anyway is not asked for. */
export function changed(asked: Asked, name: string, value: SwitchValue | undefined): Asked {
  const { [name]: _, ...others } = asked.switches;
  return { ...asked, switches: value === undefined ? others : { ...others, [name]: value } };
}

export function PanelOfSwitches() {
  const { source } = useStore();
  const { isPanelOpen } = usePart(loweringState);
  const entry = source.recordings.shown.value;
  return isPanelOpen.value && entry ? <Switches entry={entry} /> : null;
}

function Switches({ entry }: { entry: Entry }) {
  const { source } = useStore();
  const { recordings } = source;
  const state = useSignal<Panel | null>(null);
  const error = useSignal("");
  const busy = useSignal("");
  const target = useSignal(""); // the one that is asked for meanwhile
  const isFolded = useSignal(false); // whose target is another one is read, and needs the room
  // One that came of a fix is another program: the switches are those of the recording it came from.
  const { base, asked } = entry;
  useEffect(() => {
    let stale = false;
    source.ask?.("switches", { of: base, ...asked }).then(
      (found) => { if (!stale) { state.value = found; error.value = ""; } },
      (reason: unknown) => { if (!stale) { state.value = null; error.value = messageOf(reason); } },
    );
    return () => void (stale = true);
  }, [entry]);
  const lower = (next: Asked, what: string): void => {
    busy.value = what;
    target.value = next.target;
    error.value = "";
    source.runs?.run("relower", base, { ...next })
      .then((ran) => {
        recordings.add(ran, { base, fix: "", asked: next });
        recordings.show(ran.label);
        if (next.target !== asked.target) isFolded.value = true;
      }, (reason: unknown) => void (error.value = messageOf(reason)))
      .finally(() => (busy.value = ""));
  };
  const found = state.value;
  const lowering = found && { panel: found, asked, busy: busy.value !== "", lower };
  return (
    <section class="dl-switches" aria-label="Lower again" aria-busy={busy.value !== ""} data-own>
      {lowering && <Choice {...lowering} target={busy.value ? target.value : ""} />}
      {lowering && <Fold label="Switches" open={!isFolded.value}><Topics {...lowering} /></Fold>}
      {busy.value && <Busy what={`Lowering: ${busy.value}`} />}
      {error.value && <p class="dl-would-error" role="alert"><Prose text={error.value} /></p>}
    </section>
  );
}

interface Lowering {
  readonly panel: Panel;
  readonly asked: Asked;
  readonly busy: boolean;
  lower(next: Asked, what: string): void;
}

const READING =
  "Each choice lowers your program again, down to the code, which is not built or run: so any target will do. Filled is the current value, underlined what you changed here. " +
  "The new recording opens with the changes of your kernels; the previous one stays above, to go back to and to compare with. " +
  "Your program itself runs once more, eagerly, on copies of its arguments.";

/** The target, and what is changed already, each of which can be taken back. */
function Choice({ panel, asked, busy, lower, target }: Lowering & { target: string }) {
  const names = Object.keys(asked.switches);
  return (
    <div class="dl-switch-row">
      <label>
        <span class="dl-dim">Target</span>{" "}
        <select class="dl-select" disabled={busy} value={target || panel.target} onChange={({ currentTarget: { value } }) => lower({ ...asked, target: value }, value)}>
          {panel.targets.map(([name, title]) => <option key={name} value={name}>{title}</option>)}
        </select>
      </label>
      {names.map((name) => {
        const text = `${name}=${written(asked.switches[name])}`;
        return (
          <button key={name} type="button" class="dl-chip dl-switch-chip" disabled={busy} title={`Take back ${text}`} aria-label={`Take back ${text}`} onClick={() => lower(changed(asked, name, undefined), `without ${name}`)}>
            <code>{text}</code> {"\u2715"}
          </button>
        );
      })}
      {names.length > 1 && <button type="button" class="dl-link" disabled={busy} onClick={() => lower({ ...NOTHING, target: asked.target }, "no switch changed")}>take all back</button>}
      <span class="dl-space" />
      <Fold label="Reading this panel"><p class="dl-dim">{READING}</p></Fold>
    </div>
  );
}

function Topics(lowering: Lowering) {
  const { switches } = lowering.panel;
  const topics = [...new Set(switches.map((one) => one.topic))];
  const chosen = useSignal("fusion");
  const topic = topics.includes(chosen.value) ? chosen.value : topics[0];
  return (
    <>
      <TopicBar topics={topics} topic={topic} chosen={chosen} lowering={lowering} />
      <ul class="dl-switch-list">
        {switches.filter((one) => one.topic === topic).map((one) => <Switch key={one.name} one={one} {...lowering} />)}
      </ul>
    </>
  );
}

interface TopicBarProps {
  readonly topics: readonly string[];
  readonly topic: string;
  readonly chosen: Signal<string>;
  readonly lowering: Lowering;
}

function TopicBar({ topics, topic, chosen, lowering: { panel, asked } }: TopicBarProps) {
  const count = (of: string): number => panel.switches.filter((one) => one.topic === of && one.name in asked.switches).length;
  return (
    <div class="dl-segments" role="group" aria-label="Topic">
      {topics.map((one) => (
        <button key={one} type="button" aria-pressed={one === topic} onClick={() => (chosen.value = one)}>
          {one}{count(one) > 0 && <span class="dl-count">{count(one)}</span>}
        </button>
      ))}
    </div>
  );
}

function Switch({ one, asked, busy, lower }: Lowering & { one: SwitchState }) {
  const choose = (value: SwitchValue): void => {
    if (value !== one.value) lower(changed(asked, one.name, value), `${one.name}=${written(value)}`);
  };
  return (
    <li class={one.name in asked.switches ? "is-changed" : ""}>
      <code title={`torch._inductor.config.${one.key}`}>{one.name}</code>
      <span class="dl-switch-values">
        <span class="dl-segments" role="group" aria-label={one.name}>
          {one.values.map((value) => (
            <button key={written(value)} type="button" aria-pressed={value === one.value} disabled={busy} onClick={() => choose(value)}>{written(value)}</button>
          ))}
        </span>
        {one.is_count && (
          <input
            type="number" min="0" step="1" placeholder="other" aria-label={`Another number for ${one.name}`} disabled={busy}
            onChange={({ currentTarget: { valueAsNumber } }) => { if (Number.isInteger(valueAsNumber)) choose(valueAsNumber); }}
          />
        )}
      </span>
      <span class="dl-dim">{one.sentence}</span>
    </li>
  );
}
