// The answer first: what came of it in a sentence, what is wrong, and the map of the run.
import { RunMap } from "../breaks/run-map";
import { RanksBar } from "../compare/recordings";
import { useModel } from "../core/context";
import { Findings } from "../findings/findings";
import { Environment, Notes, Told } from "../summary/summary";
import { Answers } from "../tiny/answers";

export function Overview() {
  const { findings, run_map, training } = useModel().view;
  const isPair = run_map.filter((row) => row.entity).length >= 2 && findings.found.length > 0;
  return (
    <div class="dl-scroll dl-overview">
      <Told />
      {training && <Answers plan={training.plan} />}
      <RanksBar />
      <Notes />
      <div class={`dl-overview-answer${isPair ? " is-pair" : ""}`}>
        <Findings />
        <RunMap />
      </div>
      <Environment />
    </div>
  );
}
