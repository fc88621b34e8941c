// The whole way of what is selected, or under the pointer, on one strip: each stop is a click.
import { useMounted, usePart, useStore } from "../core/context";
import { parseEntity } from "../core/entities";
import { isTab, placeName } from "../core/tabs";
import type { JourneyStop, JourneyView, Station } from "../core/types.generated";
import { plural } from "../core/words";
import { kernelsState } from "../kernels/state";
import { CopyButton } from "../ui/copy/copy";
import { linkTo } from "./address";
import { journeyState } from "./state";

/** Stops of a station that are named; the others are counted. */
const NAMED = 2;

interface StopProps {
  readonly stop: JourneyStop;
  readonly station: Station;
  readonly isHere: boolean;
  readonly isSecond: boolean;
}

function StopButton({ stop, station, isHere, isSecond }: StopProps) {
  const store = useStore();
  const go = (): void => {
    const of = parseEntity(stop.entity);
    // what is selected stays: its instructions are lit below the code of their kernel
    if (station.name === "instructions" && of) kernelsState(store).kernel.value = { kind: "kernel", id: of.a };
    else store.go(stop.entity);
    if (isTab(stop.tab)) store.setTab(stop.tab);
  };
  return (
    <button type="button" class={`dl-stop${isHere ? " is-here" : ""}${isSecond ? " dl-strip-wide" : ""}`} data-own aria-current={isHere ? "step" : undefined} title={stop.text} onClick={go}>
      {stop.is_backward && <span class="dl-stop-backward" title="of the backward">{"\u2190 "}</span>}
      {stop.text}
    </button>
  );
}

/** Those that are named: what was asked for first, then one of each direction. */
function named(stops: readonly JourneyStop[], entity: string): readonly JourneyStop[] {
  const own = stops.filter((stop) => stop.entity === entity);
  const backward = stops.find((stop) => stop.is_backward);
  const forward = stops.filter((stop) => !stop.is_backward);
  const wanted = [...own, forward[0], backward, ...forward].filter((stop) => stop !== undefined);
  const chosen = new Set(wanted.slice(0, Math.max(NAMED, own.length)));
  return stops.filter((stop) => chosen.has(stop)).slice(0, NAMED);
}

/** The others stand in the details. Where the strip is narrow, they are all but the first. */
function Rest({ stops, when }: { stops: readonly JourneyStop[]; when: "dl-strip-wide" | "dl-strip-narrow" | "" }) {
  const { details } = useStore();
  return (
    <button
      type="button" class={`dl-stop dl-stop-rest ${when}`} data-own aria-label={`+${stops.length} more`}
      title={stops.map(({ text }) => text).slice(0, 40).join("\n")} onClick={() => void (details.value = true)}
    >
      +{stops.length}
    </button>
  );
}

function Stops({ station, entity }: { station: Station; entity: string }) {
  const shown = named(station.stops, entity);
  const first = shown.find((stop) => stop.entity === entity) ?? shown[0];
  const rest = station.stops.filter((stop) => !shown.includes(stop));
  const others = station.stops.filter((stop) => stop !== first);
  const count = station.stops.length;
  return (
    <li class={`dl-station${count === 0 ? " is-missing" : ""}`}>
      <span class="dl-station-title" title={count > 1 ? `${station.title}: ${count}` : station.title}>{station.title}</span>
      <span class="dl-stops">
        {shown.map((stop) => <StopButton key={stop.entity + stop.tab} stop={stop} station={station} isHere={stop.entity === entity} isSecond={stop !== first} />)}
        {rest.length > 0 && <Rest stops={rest} when={shown.length > 1 ? "dl-strip-wide" : ""} />}
        {shown.length > 1 && <Rest stops={others} when="dl-strip-narrow" />}
        {count === 0 && <span class="dl-dim dl-strip-wide" title={station.missing}>{station.missing}</span>}
        {count === 0 && <span class="dl-dim dl-strip-narrow" title={station.missing}>none</span>}
      </span>
    </li>
  );
}

function Way({ shown: { entity, stations } }: { shown: JourneyView }) {
  return (
    <ol class="dl-way" aria-label="The way through the compiler">
      {stations.map((station) => <Stops key={station.name} station={station} entity={entity} />)}
    </ol>
  );
}

/** What is selected where it is no single thing on a way. */
function Other({ entity }: { entity: string }) {
  const several = entity.split(" ");
  return <p class="dl-dim dl-hint">{several.length > 1 ? plural(several.length, parseEntity(several[0])?.kind ?? "thing") : `A ${parseEntity(entity)?.kind ?? "thing"} is selected.`}</p>;
}

/** What is selected, in words: the station that it stands at, and what its way has at the others. */
function selectedText(entity: string, way: JourneyView | null): string {
  const kind = parseEntity(entity)?.kind;
  if (!kind) return "";
  if (!way) return `Selected: a ${kind}`;
  const own = way.stations.flatMap(({ stops }) => stops).find((stop) => stop.entity === entity);
  const others = way.stations.filter(({ stops }) => stops.length > 0).map(({ title, stops }) => `${title} ${stops.length}`);
  return [`Selected: ${own?.text ?? `a ${kind}`}`, others.join(", ")].filter(Boolean).join(". Its way: ");
}

/** A screen reader hears which view is shown and what is selected, whatever key or click did it. */
export function Said() {
  const store = useStore();
  const way = usePart(journeyState).shown.value;
  const pin = store.pin.value;
  const selected = pin && store.held.value ? selectedText(pin, way) : "";
  const text = store.told.value || [placeName(store.tab.value), selected].filter(Boolean).join(". ");
  return <span class="dl-said" role="status">{text}</span>;
}

export function Strip() {
  const { store, host } = useMounted();
  const shown = usePart(journeyState).shown.value;
  const pin = store.pin.value;
  return (
    <section class={`dl-foot${pin ? " is-pinned" : ""}`} aria-label="The way of what is selected">
      {shown && <Way shown={shown} />}
      {!shown && pin && <Other entity={pin} />}
      {!shown && !pin && <p class="dl-dim dl-hint">Hover lights up what belongs together, a click selects it and shows its whole way. <kbd>?</kbd> shows the keys.</p>}
      {store.told.value && <span class="dl-status dl-foot-told">{store.told.value}</span>}
      {pin && store.model.value && (
        <span class="dl-foot-tools">
          <button type="button" class="dl-button" data-own aria-expanded={store.details.value} title="All its facts (d)" onClick={() => void (store.details.value = !store.details.value)}>Details</button>
          {host === "page" && <CopyButton text={() => linkTo(store)} label="Link" title="Copy a link to it (y)" />}
          <button type="button" class="dl-icon" data-own aria-label="Unselect" title="Unselect (Esc)" onClick={store.unpin}>{"\u2715"}</button>
        </span>
      )}
    </section>
  );
}
