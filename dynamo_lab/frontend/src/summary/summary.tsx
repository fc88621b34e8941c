// The header: what happened, in numbers and one sentence; notes and the environment.
import { useSignal } from "@preact/signals";
import { MadeBar, RecordingSwitch } from "../compare/recordings";
import { useStore } from "../core/context";
import type { SaveKind } from "../core/source";
import { isTab } from "../core/tabs";
import type { ThemeChoice } from "../core/theme";
import type { Count, NoteView } from "../core/types.generated";
import { copyLink } from "../journey/copy-link";
import { PanelButton, PanelOfSwitches } from "../lowering/lower-again";
import { CodeToggle, RoomTools } from "../shell/tools";
import { Fold, Prose } from "../ui/bits";
import { messageOf } from "../core/words";
import { answersFirst } from "./counts";

const THEMES: readonly ThemeChoice[] = ["auto", "light", "dark"];
const THEME_SIGNS: Readonly<Record<ThemeChoice, string>> = { auto: "\u25d0", light: "\u2600", dark: "\u263e" };

function ThemeToggle() {
  const { theme } = useStore();
  const next = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length];
  return (
    <button
      type="button" class="dl-icon" title={`Theme: ${theme.value}. Switch to ${next}`}
      aria-label={`Theme: ${theme.value}. Switch to ${next}`} onClick={() => (theme.value = next)}
    >
      {THEME_SIGNS[theme.value]}
    </button>
  );
}

function SaveMenu() {
  const store = useStore();
  const { source, model } = store;
  const open = useSignal(false);
  const status = useSignal("");
  if (!source.save || !model.value) return null;
  const save = (what: SaveKind): void => {
    open.value = false;
    status.value = "saving\u2026";
    source.save?.(what).then(
      () => (status.value = ""),
      (error: unknown) => (status.value = messageOf(error)),
    );
  };
  return (
    <div
      class="dl-menu"
      onFocusOut={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) open.value = false;
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !open.value) return;
        event.preventDefault();
        event.stopPropagation();
        open.value = false;
      }}
    >
      <button type="button" class="dl-button" aria-haspopup="menu" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
        Save
      </button>
      {status.value && <span class="dl-status" role="status">{status.value}</span>}
      {open.value && (
        <div role="menu" class="dl-menu-list">
          <button type="button" role="menuitem" onClick={() => save("html")}>Save page (.html)</button>
          <button type="button" role="menuitem" onClick={() => save("json")}>Save recording (.json)</button>
          <button type="button" role="menuitem" title="To the saved page, opened at what is shown (y)" onClick={() => ((open.value = false), copyLink(store))}>Copy link to this view</button>
        </div>
      )}
    </div>
  );
}

function CountChip({ count }: { count: Count }) {
  const store = useStore();
  const content = <><b>{count.value}</b> {count.label}</>;
  const style = `dl-chip dl-tone-${count.tone}`;
  const tab = count.tab.toLowerCase();
  if (!isTab(tab) || !store.tabs.value.includes(tab)) return <span class={style}>{content}</span>;
  return <button type="button" class={style} onClick={() => store.setTab(tab)}>{content}</button>;
}

function ProgressBar() {
  const progress = useStore().source.progress.value;
  if (!progress?.active) return null;
  const { seconds = 0 } = progress;
  const known = progress.fraction !== null && progress.fraction !== undefined;
  const text = [progress.stage, progress.detail].filter(Boolean).join(" \u00b7 ");
  return (
    <div class="dl-progress" role="progressbar" aria-label={text} aria-valuenow={known ? Math.round((progress.fraction ?? 0) * 100) : undefined}>
      <div class={known ? "dl-progress-bar" : "dl-progress-bar is-unknown"} style={known ? { width: `${(progress.fraction ?? 0) * 100}%` } : undefined} />
      <span class="dl-progress-text">{text}{seconds > 0 && ` \u00b7 ${seconds.toFixed(1)} s`}</span>
    </div>
  );
}

/** One row whatever is shown: what it says of the run in sentences stands in the overview. */
export function Header() {
  const store = useStore();
  const summary = store.model.value?.view.summary;
  return (
    <header class="dl-header">
      <div class="dl-header-row">
        <h2 class="dl-title" title={summary?.title}>{summary?.title || "dynamo_lab"}</h2>
        <div class="dl-counts">
          {answersFirst(summary?.counts ?? []).map((count) => <CountChip key={count.label} count={count} />)}
          {summary?.target && <span class="dl-chip dl-tone-warning dl-ellipsis" title={summary.target}>{summary.target}</span>}
        </div>
        <RecordingSwitch />
        <div class="dl-tools">
          <PanelButton />
          <CodeToggle />
          <SaveMenu />
          <button type="button" class="dl-icon" title="Keys (?)" aria-label="Keys" onClick={() => (store.help.value = !store.help.value)}>?</button>
          <ThemeToggle />
          <RoomTools />
        </div>
      </div>
      {summary && store.source.failure.value && <p class="dl-failure" role="alert">{store.source.failure.value}</p>}
      <PanelOfSwitches />
      <MadeBar />
      <ProgressBar />
    </header>
  );
}

/** What came of the run, in sentences. */
export function Told() {
  const summary = useStore().model.value?.view.summary;
  if (!summary) return null;
  return (
    <>
      {summary.sentence && <p class={`dl-sentence dl-tone-${summary.tone}`}><Prose text={summary.sentence} /></p>}
      {summary.target && <p class="dl-target">{summary.target}</p>}
      {summary.failure && !summary.is_failure_told && <pre class="dl-failure" role="alert">{summary.failure}</pre>}
      {summary.failure_text && <Fold label="The whole message"><pre class="dl-failure">{summary.failure_text}</pre></Fold>}
    </>
  );
}

const WORST: readonly string[] = ["failure", "warning", "info"];

function Note({ note }: { note: NoteView }) {
  return (
    <li class={`dl-note dl-note-${note.level}`}>
      <b>{note.about}</b> <Prose text={note.message} />
      {note.details && <Fold label="Details"><pre>{note.details}</pre></Fold>}
    </li>
  );
}

export function Notes() {
  const notes = useStore().model.value?.view.notes ?? [];
  if (notes.length === 0) return null;
  const worst = WORST.find((level) => notes.some((note) => note.level === level)) ?? "info";
  const only = notes.length === 1 ? notes[0].message : `${notes.length} notes about this recording`;
  return (
    <details class={`dl-notes dl-notes-${worst}`}>
      <summary><Prose text={only} plain /></summary>
      <ul>{notes.map((note, i) => <Note key={i} note={note} />)}</ul>
    </details>
  );
}

/** Where it was recorded. */
export function Environment() {
  const facts = useStore().model.value?.view.environment ?? [];
  if (facts.length === 0) return null;
  const brief = facts.slice(0, 3).map(([name, value]) => `${name} ${value}`).join(" \u00b7 ");
  return (
    <details class="dl-footer">
      <summary>{brief}</summary>
      <dl>{facts.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}</dl>
    </details>
  );
}
