// Frames in the order Dynamo met them: outcome, reason, attempts, bytecode.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { useModel, useStore } from "../context";
import { breakEntity, frameEntity } from "../entities";
import type { AttemptView, FrameView } from "../types";
import { Badge, Empty, Fold, Go, GraphChip, outcomeTone, plural, Prose, seconds } from "../ui/bits";

function Attempt({ attempt }: { attempt: AttemptView }) {
  return (
    <li>
      <span class="dl-attempt-head">
        <code>{attempt.label}</code>
        <Badge tone={outcomeTone(attempt.outcome)}>{attempt.outcome}</Badge>
        {attempt.seconds > 0 && <span class="dl-dim">{seconds(attempt.seconds)}</span>}
        {attempt.graph !== null && <GraphChip id={attempt.graph} />}
      </span>
      {attempt.reason && <p class="dl-dim"><Prose text={attempt.reason} /></p>}
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
  if (frame.graphs.length + frame.breaks.length + frame.guards === 0) return null;
  return (
    <span class="dl-chips">
      {frame.graphs.map((id) => <GraphChip key={id} id={id} />)}
      {frame.breaks.map((id) => <button key={id} type="button" class="dl-chip dl-tone-warning" data-go={breakEntity(id)}>break</button>)}
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
      style={{ "--dl-depth": Math.min(frame.depth, 8) }} aria-label={`${frame.name}, ${frame.outcome}`}
    >
      <header>
        {frame.depth > 0 && <span class="dl-dim dl-resumes" title="continues another frame after a break">{"\u21b3 resumes"}</span>}
        <h3>{frame.name}</h3>
        <Badge tone={outcomeTone(frame.outcome)}>{frame.outcome}</Badge>
        {frame.entity ? <Go to={frame.entity}>{frame.where}</Go> : <span class="dl-dim">{frame.where}</span>}
        <FrameLinks frame={frame} />
      </header>
      {frame.reason && <p><Prose text={frame.reason} /></p>}
      {frame.explanation && frame.explanation !== frame.reason && <p class="dl-dim"><Prose text={frame.explanation} /></p>}
      {frame.attempts.length === 1
        ? <ul class="dl-attempts"><Attempt attempt={frame.attempts[0]} /></ul>
        : frame.attempts.length > 1 && (
          <Fold label={plural(frame.attempts.length, "attempt")}>
            <ul class="dl-attempts">{frame.attempts.map((attempt, i) => <Attempt key={i} attempt={attempt} />)}</ul>
          </Fold>
        )}
      <Bytecode frame={frame} />
    </article>
  );
}

/** A library's frame that Dynamo skipped, as the summary counts: there can be hundreds. */
export const isBackground = (frame: FrameView): boolean => frame.is_library && frame.outcome === "skipped";

export function Frames() {
  const { frames } = useModel().view;
  const { pin } = useStore();
  const library = useSignal(false);
  if (frames.length === 0) {
    return <Empty title="No frames">Dynamo looked at no Python function. Nothing was compiled, or all of it ran from code compiled before.</Empty>;
  }
  const hidden = frames.filter(isBackground).length;
  const all = hidden === frames.length || library.value;
  const shown = all ? frames : frames.filter((frame) => !isBackground(frame) || pin.value === frameEntity(frame.id));
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const items = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>(".dl-frame")];
    const at = items.findIndex((item) => item.contains(event.target as Node));
    items[Math.max(0, Math.min(items.length - 1, at + step))]?.focus();
    event.preventDefault();
  };
  return (
    <div class="dl-scroll dl-frames" onKeyDown={onKeyDown}>
      {shown.map((frame) => <Frame key={frame.id} frame={frame} />)}
      {hidden > 0 && hidden < frames.length && (
        <button type="button" class="dl-button dl-more" onClick={() => (library.value = !library.value)}>
          {library.value ? "Hide library frames" : `Show ${plural(hidden, "library frame")}`}
        </button>
      )}
    </div>
  );
}
