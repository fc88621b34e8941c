// What modules under DDP reduce, bucket by bucket, and the settings of DDP to try: with a button where the job still has its program.
import { useEffect, useRef } from "preact/hooks";
import { usePart, useStore } from "../core/context";
import type { Ran } from "../core/recordings";
import type { DdpView, JobTrialOutcome, ReducerView, SettingView } from "../core/types.generated";
import { cut } from "../core/words";
import { Prose } from "../ui/bits";
import { Table } from "../ui/copy/table";
import { Running } from "../ui/busy";
import { TryFix } from "../ui/runs/try-fix";
import { useTrying } from "../ui/runs/trying";
import { GoIn } from "./go-in";
import { ranksState } from "./state";

type Trial = Ran<JobTrialOutcome>;

/** The most characters of the names of a bucket's parameters. */
const MOST_NAMES = 90;

function Reducer({ reducer, label }: { reducer: ReducerView; label: string }) {
  const hasMore = reducer.buckets.some(({ settings }) => settings.length > 0);
  return (
    <>
      <p><Prose text={reducer.sentence} /></p>
      {reducer.where && <p>Wrapped at <GoIn label={label} to={reducer.line}>{reducer.where}</GoIn> {reducer.text && <code>{reducer.text}</code>}</p>}
      {reducer.settings.length > 0 && <p>To try for each of its buckets: <Settings names={reducer.settings} /></p>}
      <Table class="dl-plan">
        <thead><tr>{reducer.head.map((name) => <th key={name} scope="col">{name}</th>)}</tr></thead>
        <tbody>
          {reducer.buckets.map(({ cells: [at, bytes, names], parameters, settings }) => (
            <tr key={at}><td>{at}</td><td>{bytes}</td><td title={parameters.join("\n")}>{cut(names, MOST_NAMES)}</td>{hasMore && <td><Settings names={settings} /></td>}</tr>
          ))}
        </tbody>
      </Table>
    </>
  );
}

/** The names of settings, each of which leads to what it is. */
export function Settings({ names }: { names: readonly string[] }) {
  const { asked } = usePart(ranksState);
  return (
    <>
      {names.map((name, i) => (
        <span key={name}>{i > 0 && ", "}<button type="button" class="dl-link" onClick={() => { asked.value = { name }; }}><code>{name}</code></button></span>
      ))}
    </>
  );
}

function Outcome({ trial, show }: { trial: Trial; show: () => void }) {
  const { sentences, is_faster } = trial.outcome;
  return (
    <div class="dl-trial">
      {sentences.map((text) => <p key={text} class={text.startsWith("a step") && is_faster !== null ? (is_faster ? "dl-good-text" : "dl-bad-text") : ""}><Prose text={text} /></p>)}
      <button type="button" class="dl-button" onClick={show}>Open rank 0 of the last job with it</button>
    </div>
  );
}

function Offered({ settings, canTry }: { settings: readonly SettingView[]; canTry: boolean }) {
  const { runs, recordings } = useStore().source;
  const { asked } = usePart(ranksState);
  const { busy, tried, attempt, open } = useTrying("try_on_job");
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    if (asked.value) box.current?.querySelector("li.is-lit")?.scrollIntoView({ block: "nearest" });
  }, [asked.value]);
  const [first] = recordings.entries.value;
  const { fix, trial, error } = tried.value ?? {};
  return (
    <section class="dl-fixes dl-settings" data-own ref={box}>
      <h4>Settings to try</h4>
      {!(runs && canTry) && <p class="dl-dim">Where the program still lives: <code>{settings[0].call}</code></p>}
      <ul>
        {settings.map((one) => (
          <TryFix
            key={one.name} fix={one} title="Runs the job seven times with it and seven times without, in turns" busy={busy.value}
            onTry={runs && canTry && first ? () => attempt(first.label, one.name) : null} isLit={asked.value?.name === one.name}
          >
            {busy.value === one.name && <Running what="Starting the jobs" stopping="Stops once the job that runs now has ended" />}
            {fix === one.name && trial && <Outcome trial={trial} show={() => first && open(trial, first.base)} />}
            {fix === one.name && error && <p class="dl-bad-text">{error}</p>}
          </TryFix>
        ))}
      </ul>
    </section>
  );
}

export function Ddp({ ddp }: { ddp: DdpView }) {
  const [first] = useStore().source.recordings.entries.value; // whose modules they are
  return (
    <section>
      <h3>DDP</h3>
      {ddp.reducers.map((reducer, i) => <Reducer key={i} reducer={reducer} label={first?.label ?? ""} />)}
      {ddp.settings.length > 0 && <Offered settings={ddp.settings} canTry={ddp.can_try} />}
    </section>
  );
}
