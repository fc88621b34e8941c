// Frames in the order Dynamo met them: outcome, reason, attempts, bytecode.
import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { useModel, useStore } from "../core/context";
import { breakEntity, frameEntity } from "../core/entities";
import { matches } from "../core/search";
import type { AttemptView, FrameView } from "../core/types.generated";
import { grouped, plural, seconds } from "../core/words";
import { playbackOf, stepsState } from "../steps/state";
import { Badge, CompileId, Empty, Fold, Go, GraphChip, outcomeTone, Prose, WhyNone } from "../ui/bits";
import { Pager } from "../ui/pager";
import { PAGE, pageAt } from "../ui/paging";
import { SearchBox } from "../ui/search-box";

/** One analysis of a frame; what the frame says already is left out. */
function Attempt({ attempt, frame }: { attempt: AttemptView; frame: FrameView }) {
  const store = useStore();
  const alone = frame.attempts.length === 1;
  const step = playbackOf(useModel())?.stepOfAttempt(frame.id, frame.attempts.indexOf(attempt)) ?? -1;
  return (
    <li>
      <span class="dl-attempt-head">
        <span><span class="dl-dim">compilation</span> <code><CompileId id={attempt.label} /></code></span>
        {!(alone && attempt.outcome === frame.outcome) && <Badge tone={outcomeTone(attempt.outcome)}>{attempt.outcome}</Badge>}
        {attempt.seconds > 0 && <span class="dl-dim">{seconds(attempt.seconds)}</span>}
        {attempt.graph !== null && !alone && <GraphChip id={attempt.graph} />}
        {step >= 0 && <button type="button" class="dl-link" data-own onClick={() => stepsState(store).play(step)}>{"\u25b6"} steps</button>}
      </span>
      {attempt.reason && attempt.reason !== frame.reason && <p class="dl-dim"><Prose text={attempt.reason} /></p>}
      {attempt.recompiled.map((reason, i) => <p key={i} class="dl-dim">recompiled because <code>{reason}</code></p>)}
    </li>
  );
}

function Bytecode({ frame }: { frame: FrameView }) {
  const modified = frame.attempts.findLast((attempt) => attempt.bytecode)?.bytecode ?? "";
  if (!frame.bytecode && !modified) return null;
  return (
    <Fold label="Bytecode">
      <div class="dl-bytecode">
        {frame.bytecode && <figure><figcaption>original</figcaption><pre>{frame.bytecode}</pre></figure>}
        {modified && <figure><figcaption>as Dynamo rewrote it</figcaption><pre>{modified}</pre></figure>}
      </div>
    </Fold>
  );
}

function FrameLinks({ frame }: { frame: FrameView }) {
  const { breakNumber } = useModel();
  if (frame.graphs.length + frame.breaks.length + frame.guards === 0) return null;
  return (
    <span class="dl-chips">
      {frame.graphs.map((id) => <GraphChip key={id} id={id} />)}
      {frame.breaks.map((id) => <button key={id} type="button" class="dl-chip dl-tone-warning" data-go={breakEntity(id)}>break {breakNumber(id)}</button>)}
      {frame.guards > 0 && <span class="dl-dim">{plural(frame.guards, "guard")}</span>}
    </span>
  );
}

function Frame({ frame }: { frame: FrameView }) {
  const store = useStore();
  const { kin } = useModel();
  const item = useRef<HTMLElement>(null);
  const entity = frameEntity(frame.id);
  const vertex = kin.vertex("frame", frame.id);
  const reveal = store.reveal.value;
  useEffect(() => {
    if (reveal.entity === entity) item.current?.scrollIntoView({ block: "nearest" });
  }, [reveal.tick]);
  const state = `${store.lit.value?.[vertex] ? " is-lit" : ""}${store.held.value?.[vertex] ? " is-held" : ""}`;
  return (
    <article
      ref={item} class={`dl-frame dl-frame-${frame.outcome}${state}`} data-entity={entity} tabIndex={0}
      style={{ "--dl-depth": Math.min(frame.depth, 8) }} aria-label={`${frame.name}, ${frame.ran}`}
    >
      <header>
        {frame.depth > 0 && <span class="dl-dim dl-resumes" title="continues another frame after a break">{"\u21b3 resumes"}</span>}
        <h3>{frame.name}</h3>
        <Badge tone={outcomeTone(frame.ran)}>{frame.ran === "compiling" ? "compiling\u2026" : frame.ran}</Badge>
        {frame.entity ? <Go to={frame.entity}>{frame.where}</Go> : <span class="dl-dim">{frame.where}</span>}
        <FrameLinks frame={frame} />
      </header>
      {frame.reason && <p><Prose text={frame.reason} /></p>}
      {frame.explanation && frame.explanation !== frame.reason && <p class="dl-dim"><Prose text={frame.explanation} /></p>}
      {frame.attempts.length === 1
        ? <ul class="dl-attempts"><Attempt attempt={frame.attempts[0]} frame={frame} /></ul>
        : frame.attempts.length > 1 && (
          <Fold label={plural(frame.attempts.length, "attempt")}>
            <ul class="dl-attempts">{frame.attempts.map((attempt, i) => <Attempt key={i} attempt={attempt} frame={frame} />)}</ul>
          </Fold>
        )}
      <Bytecode frame={frame} />
    </article>
  );
}

/** A library's frame that Dynamo skipped, as the summary counts: there can be thousands. */
export const isBackground = (frame: FrameView): boolean => frame.is_library && frame.outcome === "skipped";

const searchText = ({ name, where, ran, reason, explanation }: FrameView): string =>
  [name, where, ran, reason, explanation].join("\n").toLowerCase();

export function Frames() {
  const { frames } = useModel().view;
  const store = useStore();
  const library = useSignal(false);
  const start = useSignal(0);
  const query = useSignal("");
  const box = useRef<HTMLDivElement>(null);
  const pin = store.pin.value;
  const hidden = useMemo(() => frames.filter(isBackground).length, [frames]);
  const all = hidden === frames.length || library.value;
  const listed = useMemo(
    () => (all ? frames : frames.filter((frame) => !isBackground(frame) || pin === frameEntity(frame.id))),
    [frames, all, pin],
  );
  const isLong = listed.length > PAGE;
  const texts = useMemo(() => (isLong ? listed.map(searchText) : []), [listed, isLong]);
  const found = isLong ? matches(texts, query.value) : null;
  const shown = found ? found.map((i) => listed[i]) : listed;
  useMemo(() => (start.value = 0), [query.value, all]);
  // Before the drawing, so that the frame asked for is there when it is scrolled to.
  const reveal = store.reveal.value;
  useMemo(() => {
    const at = shown.findIndex((frame) => frameEntity(frame.id) === reveal.entity);
    if (at >= 0) start.value = at;
  }, [reveal.tick]);
  const page = pageAt(shown.length, start.value);
  if (frames.length === 0) {
    return <Empty title="No frames"><WhyNone>Dynamo looked at no Python function. Nothing was compiled, or all of it ran from code compiled before.</WhyNone></Empty>;
  }
  const focus = (at: number): void => {
    const items = box.current?.querySelectorAll<HTMLElement>(".dl-frame");
    if (items?.length) items[Math.max(0, Math.min(items.length - 1, at))].focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
    if (event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey || event.altKey) return;
    const items = [...(box.current?.querySelectorAll<HTMLElement>(".dl-frame") ?? [])];
    const at = items.findIndex((item) => item.contains(event.target as Node));
    if (event.key === "Enter" && at >= 0 && items[at] === event.target) store.togglePin(items[at].dataset.entity ?? "");
    else if (step !== undefined) focus(at + step);
    else return;
    event.preventDefault();
  };
  const turn = (first: number): void => {
    start.value = first;
    box.current?.scrollTo({ top: 0 });
  };
  const pager = <Pager page={page} count={shown.length} word="frames" choose={turn} />;
  return (
    <>
      {isLong && (
        <div class="dl-toolbar">
          <SearchBox query={query} label="Search frames" placeholder="function, file, outcome, reason" />
          {found && <span class="dl-dim" role="status">{found.length === 1 ? "1 match" : `${grouped(found.length)} matches`}</span>}
          <span class="dl-space" />
          {pager}
        </div>
      )}
      <div class="dl-scroll dl-frames" ref={box} onKeyDown={onKeyDown}>
        {shown.slice(page.first, page.end).map((frame) => <Frame key={frame.id} frame={frame} />)}
        {shown.length === 0 && <Empty title="No frame matches">Each word must occur in the function, its file, its outcome or its reason.</Empty>}
        {shown.length > PAGE && pager}
        {hidden > 0 && hidden < frames.length && (
          <button type="button" class="dl-button dl-more" onClick={() => (library.value = !library.value)}>
            {library.value ? "Hide library frames" : `Show ${plural(hidden, "library frame")}`}
          </button>
        )}
      </div>
    </>
  );
}
