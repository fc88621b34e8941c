// Asks the layout worker, one question at a time; a newer question makes an older one moot.
import type { DataSource } from "../core/source";
import { type Layout, readLayout } from "./layout";

export interface LayoutRequest {
  readonly id: number;
  readonly dot: string;
}

export type LayoutReply =
  | { readonly id: number; readonly json: string }
  | { readonly id: number; readonly error: string };

export const WORKER_ASSET = "layout-worker.js";
const PATIENCE_MS = 15_000;

interface Waiting {
  resolve(layout: Layout): void;
  reject(error: Error): void;
  timer: ReturnType<typeof setTimeout>;
}

export class LayoutClient {
  private worker: Promise<Worker> | null = null;
  private readonly waiting = new Map<number, Waiting>();
  private readonly known = new Map<string, Layout>();
  private nextId = 0;
  private closed = false;

  constructor(private readonly source: DataSource) {}

  async layout(dot: string): Promise<Layout> {
    const known = this.known.get(dot);
    if (known) return known;
    const layout = await this.ask(dot);
    this.known.set(dot, layout);
    return layout;
  }

  /** Stops the worker; a later question starts a new one. */
  stop(reason = "The layout was stopped."): void {
    this.worker?.then((worker) => worker.terminate()).catch(() => undefined);
    this.worker = null;
    for (const waiting of this.waiting.values()) {
      clearTimeout(waiting.timer);
      waiting.reject(new Error(reason));
    }
    this.waiting.clear();
  }

  close(): void {
    this.closed = true;
    this.stop();
  }

  private async ask(dot: string): Promise<Layout> {
    this.worker ??= this.start();
    let worker: Worker;
    try {
      worker = await this.worker;
    } catch (error) {
      this.worker = null; // so that "try again" asks the host again
      throw error;
    }
    const id = this.nextId++;
    return new Promise<Layout>((resolve, reject) => {
      const timer = setTimeout(() => this.stop("The layout took too long. Close some boxes and try again."), PATIENCE_MS);
      this.waiting.set(id, { resolve, reject, timer });
      worker.postMessage({ id, dot } satisfies LayoutRequest);
    });
  }

  private async start(): Promise<Worker> {
    const code = await this.source.asset(WORKER_ASSET);
    if (this.closed) throw new Error("The view was closed.");
    const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
    const worker = new Worker(url);
    worker.onmessage = (event: MessageEvent<LayoutReply>) => {
      URL.revokeObjectURL(url); // not before: some browsers read the URL only when they start it
      this.receive(event.data);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      this.stop(`The layout worker failed: ${event.message || "it could not be started"}.`);
    };
    return worker;
  }

  private receive(reply: LayoutReply): void {
    const waiting = this.waiting.get(reply.id);
    if (!waiting) return;
    this.waiting.delete(reply.id);
    clearTimeout(waiting.timer);
    if ("error" in reply) waiting.reject(new Error(reply.error));
    else waiting.resolve(readLayout(reply.json));
  }
}
