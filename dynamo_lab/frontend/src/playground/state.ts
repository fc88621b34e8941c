// What a reader makes of a program's text, and what the kernel made of it, for each column.
import { batch, computed, type ReadonlySignal, signal, type Signal } from "@preact/signals";
import type { Ask } from "../core/source";
import type { AssemblyView, DraftView, PlaygroundView } from "../core/types.generated";
import { messageOf } from "../core/words";
import { hueOf } from "./lines";

export type How = Pick<PlaygroundView, "target" | "backend" | "dynamic" | "mode">;

/** Lines of the text, which the code that they became follows. */
export interface Pointed {
  /** The line under the pointer and the one that was clicked; 0 for none. */
  readonly hot: ReadonlySignal<number>;
  readonly held: ReadonlySignal<number>;
  /** The colour of a line, in degrees; -1 for none. */
  hue(line: number): number;
  point(line: number): void;
  hold(line: number): void;
}

interface Wanted {
  readonly text: string;
  readonly how: How;
}

export interface Shown extends Wanted {
  readonly view: DraftView;
}

/** The pause after a key, after which the text is lowered. */
export const PAUSE_MS = 200;
/** What takes longer than this gives way to a newer text; what is quicker is waited for, and its result not shown. */
export const SUPERSEDED_MS = 1_500;
/** The kernel ends one after 30 s by itself. */
const PATIENCE_MS = 45_000;

/** As many as the kernel lowers beside each other. */
export const MOST_COLUMNS = 4;

/** The assembly of the kernel that a column shows. */
export class Assembled {
  readonly view = signal<AssemblyView | null>(null);
  readonly error = signal("");
  readonly busy = signal(false);
  private turn = 0;
  /** The code that was assembled, or is being so. */
  private of = "";

  async want(ask: Ask, of: string, column: string, kernel: { readonly id: number; readonly code: string }, how: How): Promise<void> {
    const key = `${how.target} ${how.backend}\n${kernel.code}`;
    if (key === this.of) return;
    this.of = key;
    const turn = ++this.turn;
    this.busy.value = true;
    const end = (act: () => void): void => {
      if (turn === this.turn) batch(() => (act(), (this.busy.value = false)));
    };
    await ask("draft_assembly", { of, column, kernel: kernel.id }, PATIENCE_MS).then(
      (found) => end(() => ((this.view.value = found), (this.error.value = ""))),
      (error: unknown) => end(() => ((this.error.value = messageOf(error)), (this.of = ""))),
    );
  }
}

export class Column {
  readonly how: Signal<How>;
  /** The text it stays with; null where it follows what is typed. */
  readonly kept: string | null;
  /** The last good result. */
  readonly shown = signal<Shown | null>(null);
  /** What was answered last, good or not, and to which text. */
  readonly last = signal<Shown | null>(null);
  readonly error = signal("");
  readonly busy = signal(false);
  readonly kernel = signal("");
  readonly level = signal("");
  readonly isAssembled = signal(true);
  readonly assembled = new Assembled();
  private wanted: Wanted | null = null;
  private asked: Wanted | null = null;
  private since = 0;
  private turn = 0;

  constructor(readonly id: string, how: How, kept: string | null = null) {
    this.how = signal(how);
    this.kept = kept;
  }

  /** Has this text lowered: at once, or once what is being lowered is done. */
  lower(ask: Ask, of: string, typed: string, now = Date.now()): void {
    const next = { text: this.kept ?? typed, how: this.how.peek() };
    const before = this.wanted ?? this.asked;
    if (before && before.text === next.text && before.how === next.how && (this.busy.peek() || !this.error.peek())) return;
    if (this.busy.peek() && now - this.since < SUPERSEDED_MS) {
      this.wanted = next;
      return;
    }
    void this.send(ask, of, next, now);
  }

  private async send(ask: Ask, of: string, next: Wanted, now: number): Promise<void> {
    const turn = ++this.turn;
    this.wanted = null;
    this.asked = next;
    this.since = now;
    this.busy.value = true;
    const answer = await ask("draft", { of, column: this.id, text: next.text, how: next.how }, PATIENCE_MS).then(
      (view) => ({ view, error: "" }),
      (error: unknown) => ({ view: null, error: messageOf(error) }),
    );
    if (turn !== this.turn) return;
    const newer = this.wanted;
    batch(() => {
      this.error.value = answer.error;
      if (answer.view) {
        this.last.value = { ...next, view: answer.view };
        if (!answer.view.has_failed) this.shown.value = this.last.value;
      }
      this.busy.value = newer !== null;
    });
    if (newer) void this.send(ask, of, newer, Date.now());
  }
}

/** All columns of one recording's text. */
export class Ground implements Pointed {
  readonly text: Signal<string>;
  readonly columns: Signal<readonly Column[]>;
  readonly hot = signal(0);
  readonly held = signal(0);
  readonly hue = hueOf;
  /** Counts the times that another text was put in the place of what the reader writes. */
  readonly replaced = signal(0);
  readonly isChanged = computed(() => this.text.value !== this.start.text);
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly start: PlaygroundView, readonly ask: Ask, readonly of: string) {
    this.text = signal(start.text);
    const { target, backend, dynamic, mode } = start;
    this.columns = signal([new Column("0", { target, backend, dynamic, mode })]);
  }

  /** The reader typed: after a pause each column is lowered again. */
  write(text: string): void {
    this.text.value = text;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.lower(), PAUSE_MS);
  }

  point(line: number): void {
    this.hot.value = line;
  }

  hold(line: number): void {
    this.held.value = line;
  }

  lower(): void {
    for (const column of this.columns.peek()) column.lower(this.ask, this.of, this.text.peek());
  }

  put(text: string): void {
    this.text.value = text;
    this.replaced.value++;
    this.lower();
  }

  change(column: Column, how: Partial<How>): void {
    const next = { ...column.how.peek(), ...how };
    column.how.value = next.backend === "lab" ? { ...next, mode: null } : next;
    column.lower(this.ask, this.of, this.text.peek());
  }

  /** One more beside the others: for another target, or of the text as it is now, which it keeps. */
  add(kept: string | null): void {
    const all = this.columns.peek();
    const { how } = all[all.length - 1];
    const free = Array.from({ length: MOST_COLUMNS }, (_, i) => String(i)).find((id) => all.every((one) => one.id !== id));
    if (free === undefined) return;
    const column = new Column(free, how.peek(), kept);
    column.isAssembled.value = false;
    this.columns.value = [...all, column];
    this.lower();
  }

  drop(column: Column): void {
    this.columns.value = this.columns.peek().filter((one) => one !== column);
  }

  assemble(column: Column, kernel: { readonly id: number; readonly code: string }, how: How): void {
    void column.assembled.want(this.ask, this.of, column.id, kernel, how);
  }

  close(): void {
    clearTimeout(this.timer);
  }
}

const OPEN_PATIENCE_MS = 20_000;

/** The ground of a recording, for whichever parts of it are drawn: it is asked for once. */
export class Opening {
  readonly ground = signal<Ground | null>(null);
  /** Why there is none, in a sentence. */
  readonly refusal = signal("");
  private isAsked = false;

  async open(ask: Ask, of: string): Promise<void> {
    if (this.isAsked || this.ground.peek()) return;
    this.isAsked = true;
    this.refusal.value = "";
    await ask("playground", { of }, OPEN_PATIENCE_MS).then(
      (start) => void (this.ground.value = new Ground(start, ask, of)),
      (error: unknown) => void (this.refusal.value = messageOf(error)),
    );
    this.isAsked = false;
  }
}
