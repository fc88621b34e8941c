// Memory of a planned training step, with sliders for what is updated. In a notebook the kernel plans each
// choice; a page shows those that were planned for it.
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { useStore } from "../core/context";
import type { TrainingView } from "../core/types.generated";
import { messageOf, plural } from "../core/words";
import { Prose } from "../ui/bits";
import { Bars, Chart, Legend, Lives } from "./picture";
import { choiceOf, lastLayers, layersOf, newest, offered, type Shares, sharesOf, STOPS, updateOf } from "./replan";
import { Each, Overall } from "./sliders";
import { trainingState, withPlan } from "./state";

const STILL = "What the sliders offer was planned when this page was written. In the notebook that made it, every choice is planned as you drag.";
const NONE = "Sliders need the notebook that planned this, or a page that `plan.to_html` wrote, with plans made for it.";
const NOTHING = "Nothing is updated: choose at least one parameter.";

type Chosen = { readonly layers: number; readonly share: number } | null;

/** The state of the sliders, and the plan that they show: all views follow it. */
function useReplan(shown: TrainingView) {
  const store = useStore();
  const { ask } = store.source;
  const state = trainingState(store);
  const made = state.own()?.training ?? shown;
  const shares = useSignal<Shares>(sharesOf(shown.plan.parameters));
  const chosen = useSignal<Chosen>(null);
  const error = useSignal("");
  const isAsked = useSignal(false);
  const send = useMemo(
    () =>
      newest(async (update: Readonly<Record<string, number | "all">>) => {
        isAsked.value = true;
        try {
          state.show(await (ask?.("replan", { update }) ?? Promise.reject(new Error(NONE))));
          error.value = "";
        } catch (reason) {
          error.value = messageOf(reason);
        } finally {
          isAsked.value = false;
        }
      }),
    [ask],
  );
  const wish = (wanted: Shares): void => {
    shares.value = wanted;
    const update = updateOf(made.plan.parameters, wanted);
    if (Object.keys(update).length === 0) error.value = NOTHING;
    else send(update);
  };
  const overall = (layers: number, share: number): void => {
    chosen.value = { layers, share };
    const [own, known] = [state.own(), ask ? undefined : choiceOf(made.choices, layers, share)];
    if (ask) wish(lastLayers(made.plan.parameters, layers, share));
    else if (own && known) {
      state.show(withPlan(own, made, known.plan));
      shares.value = sharesOf(known.plan.parameters);
      chosen.value = { layers, share: known.share };
    }
  };
  const set = (name: string, share: number): void => {
    chosen.value = null;
    wish(new Map([...shares.peek(), [name, share]]));
  };
  const reset = (): void => {
    chosen.value = null;
    if (ask) wish(sharesOf(made.plan.parameters));
    state.show(null);
    shares.value = sharesOf(made.plan.parameters);
    error.value = "";
  };
  return { made, plan: shown.plan, shares: shares.value, chosen: chosen.value, error: error.value, isAsked: isAsked.value, isLive: ask !== undefined, overall, set, reset };
}

function Sliders({ state }: { state: ReturnType<typeof useReplan> }) {
  const { parameters } = state.made.plan;
  const known = offered(state.made.choices);
  const layers = state.isLive ? Array.from({ length: layersOf(parameters).length + 1 }, (_, k) => k) : known.layers;
  const shares = state.isLive ? STOPS.slice(1) : known.shares;
  if (layers.length === 0) return <p class="dl-dim"><Prose text={NONE} /></p>;
  return (
    <div class="dl-training-sliders" data-own>
      <Overall parameters={parameters} layers={layers} shares={shares} chosen={state.chosen} choose={state.overall} />
      <button type="button" class="dl-button" onClick={state.reset}>As planned</button>
      <span role="status" class="dl-dim">{state.isAsked ? "Planning\u2026" : ""}</span>
      {state.error && <p class="dl-would-error" role="alert">{state.error}</p>}
      {!state.isLive && <p class="dl-dim">{STILL}</p>}
      <Each parameters={parameters} shares={state.shares} set={state.isLive ? state.set : undefined} />
    </div>
  );
}

export function Training({ training }: { training: TrainingView }) {
  const state = useReplan(training);
  const at = useSignal(-1);
  const { plan } = state;
  const step = at.value < plan.steps.length ? at.value : -1;
  const most = Math.max(1, plan.limit ?? 0, state.made.plan.bytes, plan.bytes, ...plan.steps.map(({ bytes }) => bytes));
  const choose = (wanted: number): void => void (at.value = step === wanted ? -1 : wanted);
  const alive = step < 0 ? plan.lives.length : plan.lives.filter(({ start, end }) => start <= step && step <= end).length;
  return (
    <>
      <div class="dl-partition">{plan.sentences.map((text) => <p key={text}><Prose text={text} /></p>)}</div>
      <div class="dl-training-head">
        <Sliders state={state} />
        <Bars plan={plan} />
        <Legend />
      </div>
      <div class="dl-memory-head">
        <Chart plan={plan} most={most} at={step} choose={choose} />
        <div class="dl-toolbar">
          <button type="button" class="dl-button" aria-pressed={step === plan.peak} onClick={() => choose(plan.peak)}>What is alive at the peak</button>
          {step >= 0 && <button type="button" class="dl-button" onClick={() => (at.value = -1)}>Show all</button>}
          <span class="dl-dim" role="status">{step < 0 ? `${plural(alive, "value")} over ${plural(plan.steps.length, "operation")}` : `${plural(alive, "value")} during operation ${step + 1}, ${plan.steps[step].name}: ${plan.steps[step].size}`}</span>
        </div>
      </div>
      <Lives plan={plan} at={step} />
    </>
  );
}
