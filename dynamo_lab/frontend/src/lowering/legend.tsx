// What the words of the operators' badges mean, below their list: those that are there.
import { Badge, Fold } from "../ui/bits";
import { OUTCOME_TEXTS, OUTCOME_TONES } from "./items";

export function OutcomeLegend({ outcomes }: { outcomes: Iterable<string> }) {
  const there = new Set(outcomes);
  const shown = Object.keys(OUTCOME_TEXTS).filter((word) => there.has(word));
  if (shown.length === 0) return null;
  return (
    <div class="dl-outcome-legend">
      <Fold label="what these words mean">
        <dl>
          {shown.map((word) => <div key={word}><dt><Badge tone={OUTCOME_TONES[word] ?? "grey"}>{word}</Badge></dt><dd>{OUTCOME_TEXTS[word]}</dd></div>)}
        </dl>
      </Fold>
    </div>
  );
}
