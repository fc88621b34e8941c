// Which plan of a training step is shown, in all views alike: the one that was made, or another update of it.
import { stateOf } from "../core/state";
import type { TrainingPlanView, TrainingView, View } from "../core/types.generated";

/** The view with another plan that it has at hand; its passes stay those of the plan that was made. */
export function withPlan(own: View, training: TrainingView, plan: TrainingPlanView): View {
  const summary = { ...own.summary, sentence: plan.headline, counts: plan.counts };
  return { ...own, summary, training: { ...training, plan } };
}

export const trainingState = stateOf(({ source: { recordings }, model }) => ({
  /** The view with the plan that was made. */
  own: (): View | null => recordings.shown.value?.view ?? null,
  /** Shows this in its place, in every tab; nothing for the plan that was made. */
  show: (view: View | null): void => recordings.amend(view),
  /** Whether the passes that are shown are those of another plan than the other views tell of. */
  hasOtherPasses: (): boolean => {
    const [own, view] = [recordings.shown.value?.view, model.value?.view];
    return own?.training !== view?.training && own?.passes === view?.passes;
  },
}));
