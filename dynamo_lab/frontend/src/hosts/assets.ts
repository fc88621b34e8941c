// Heavy parts of the front-end, asked of the kernel once a page and shared by all widgets on it.

const PATIENCE_MS = 8_000;
const SHELF = Symbol.for("dynamo_lab.assets");

type Shelf = Map<string, string>;

function shelf(): Shelf {
  const page = globalThis as { [SHELF]?: Shelf };
  return (page[SHELF] ??= new Map());
}

interface Waiting {
  resolve(text: string): void;
  reject(error: Error): void;
  timer: ReturnType<typeof setTimeout>;
}

export class Assets {
  private readonly waiting = new Map<string, Waiting[]>();

  constructor(private readonly ask: (name: string) => void) {}

  get(name: string): Promise<string> {
    const known = shelf().get(name);
    if (known !== undefined) return Promise.resolve(known);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.giveUp(name), PATIENCE_MS);
      const asked = this.waiting.get(name) ?? [];
      this.waiting.set(name, [...asked, { resolve, reject, timer }]);
      if (asked.length === 0) this.ask(name);
    });
  }

  receive(name: string, text: string): void {
    shelf().set(name, text);
    for (const { resolve, timer } of this.waiting.get(name) ?? []) {
      clearTimeout(timer);
      resolve(text);
    }
    this.waiting.delete(name);
  }

  close(): void {
    for (const name of [...this.waiting.keys()]) this.refuse(name, "The view was closed.");
  }

  /** An answer that comes later still reaches the shelf, and a new question is asked anew. */
  private giveUp(name: string): void {
    this.refuse(name, "The kernel does not answer: it is busy, or it has gone. The diagram needs it once, to load the layout engine.");
  }

  private refuse(name: string, why: string): void {
    for (const { reject, timer } of this.waiting.get(name) ?? []) {
      clearTimeout(timer);
      reject(new Error(why));
    }
    this.waiting.delete(name);
  }
}
