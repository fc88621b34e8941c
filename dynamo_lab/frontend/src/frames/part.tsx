// The part of frames.
import { breakEntity, graphEntity } from "../core/entities";
import type { Part, Selected } from "../core/state";
import { Links } from "../selection/links";
import { Badge, outcomeTone, Prose } from "../ui/bits";
import { Frames } from "./frames";

function Frame({ model, entity }: Selected) {
  const frame = model.view.frames.find((f) => f.id === entity.a);
  if (!frame) return null;
  return (
    <>
      <h3><Badge tone={outcomeTone(frame.ran)}>{frame.ran}</Badge> {frame.name}</h3>
      {frame.reason && <p><Prose text={frame.reason} /></p>}
      <dl>
        <Links label="line" to={frame.entity ? [[frame.entity, frame.where]] : []} />
        <Links label="graphs" to={frame.graphs.map((id) => [graphEntity(id), model.graphTitle(id)])} />
        <Links label="breaks" to={frame.breaks.map((id) => [breakEntity(id), `break ${model.breakNumber(id)}`])} />
      </dl>
    </>
  );
}

export const framesPart: Part = {
  tab: "frames",
  Panel: Frames,
  kinds: { frame: { Card: Frame } },
  isEmpty: (view) => view.frames.length === 0,
  count: (view) => Math.max(0, view.frames.length - view.summary.library_frames),
  hasKin: ({ view, kin }, held) => view.frames.some((frame) => held[kin.vertex("frame", frame.id)] === 1),
};
