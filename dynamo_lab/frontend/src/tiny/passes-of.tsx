// Says whose passes are shown, where the other views tell of another plan.
import { useStore } from "../core/context";
import { trainingState } from "./state";

/** Nothing where all views tell of one plan. */
export function PassesOfPlan() {
  const state = trainingState(useStore());
  const made = state.own()?.training?.plan;
  if (!made || !state.hasOtherPasses()) return null;
  return (
    <p class="dl-training-passes" role="note">
      These passes are those of the plan that was made, which needs {made.size}. The sliders of Memory show another update, whose passes are not on this page: in the notebook that planned it, they are.{" "}
      <button type="button" class="dl-button" onClick={() => state.show(null)}>As planned</button>
    </p>
  );
}
