// What the interpreter had compiled at a break, did then, and went on with; and what that costs.
import type { ComponentChildren } from "preact";
import { useModel } from "../core/context";
import { breakEntity } from "../core/entities";
import type { BreakView, Side } from "../core/types.generated";
import { Go, GraphChip, Prose } from "../ui/bits";

function Step({ label, children }: { label: string; children: ComponentChildren }) {
  return <><dt>{label}</dt><dd>{children}</dd></>;
}

function Sides({ sides }: { sides: readonly Side[] }) {
  return (
    <>
      {sides.map((side, i) => (
        <div key={i} class="dl-story-side">{side.graph !== null && <GraphChip id={side.graph} />} <Prose text={side.text} /></div>
      ))}
    </>
  );
}

/** Links to other breaks, by the numbers that people know them by. */
function Breaks({ ids }: { ids: readonly number[] }) {
  const { breakNumber } = useModel();
  return <>{ids.map((id, i) => <>{i > 0 && ", "}<Go key={id} to={breakEntity(id)}>break {breakNumber(id)}</Go></>)}</>;
}

/** Stands first on the card of a break that only follows from another. */
export function Because({ item }: { item: BreakView }) {
  const story = useModel().view.stories[item.id];
  if (!story || story.cause === null) return null;
  return (
    <p class="dl-because">
      <Prose text={story.because} />{" "}
      {story.is_cause_yours ? <>Mend <Breaks ids={[story.cause]} /> first.</> : <>See <Breaks ids={[story.cause]} />.</>}
    </p>
  );
}

export function Story({ item }: { item: BreakView }) {
  const story = useModel().view.stories[item.id];
  if (!story) return null;
  return (
    <dl class="dl-story">
      {story.instruction && (
        <Step label="instruction">
          <code>{story.instruction}</code>
          {story.values.length > 0 && <span class="dl-dim"> given </span>}
          {story.values.map((value, i) => <>{i > 0 && ", "}<code key={i}>{value}</code></>)}
        </Step>
      )}
      {story.before && <Step label="before it"><Sides sides={[story.before]} /></Step>}
      <Step label="then"><Prose text={story.then} /></Step>
      {story.after.length > 0 && <Step label="after it"><Sides sides={story.after} /></Step>}
      {story.cost.length > 0 && <Step label="cost">{story.cost.map((text, i) => <div key={i}><Prose text={text} /></div>)}</Step>}
      {story.consequences.length > 0 && <Step label="followed by"><Breaks ids={story.consequences} /></Step>}
    </dl>
  );
}
