// Requests to the kernel that wait for their answers, each with a number and an end to its patience.

const GONE = "The kernel does not answer: it is busy, or it has gone.";

interface Waiting<Answer> {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
  readonly timer: ReturnType<typeof setTimeout>;
}

export class Requests<Answer> {
  private readonly waiting = new Map<number, Waiting<Answer>>();
  private made = 0;

  constructor(private readonly patienceMs: number) {}

  /** Sends a request under a number of its own. Rejects with a sentence to show. */
  send(send: (request: number) => void, patienceMs = this.patienceMs): Promise<Answer> {
    const request = ++this.made;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.take(request)?.reject(new Error(GONE)), patienceMs);
      this.waiting.set(request, { resolve, reject, timer });
      send(request);
    });
  }

  /** What waits for this answer, if anything still does; it is answered once. */
  take(request: number): Waiting<Answer> | undefined {
    const found = this.waiting.get(request);
    if (found) clearTimeout(found.timer);
    this.waiting.delete(request);
    return found;
  }

  close(): void {
    for (const { timer } of this.waiting.values()) clearTimeout(timer);
    this.waiting.clear();
  }
}
