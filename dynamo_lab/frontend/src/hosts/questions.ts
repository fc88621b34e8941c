// Questions that the kernel answers while it lives: would this input pass, what would another budget keep?
import type { Ask, Asking } from "../core/source";
import type { AnswerMessage, Answers } from "../core/types.generated";
import { Requests } from "./requests";

export interface AskMessage {
  readonly type: "ask";
  readonly question: string;
  readonly request: number;
  readonly [asked: string]: unknown;
}

/** The partitioner solves a minute of min-cuts on a large model. */
const PATIENCE_MS = 120_000;

export class Questions {
  private readonly requests = new Requests<unknown>(PATIENCE_MS);

  constructor(private readonly send: (message: AskMessage) => void) {}

  readonly ask: Ask = <Question extends keyof Answers>(question: Question, asked: Asking, patienceMs?: number) =>
    this.requests.send((request) => this.send({ ...asked, type: "ask", question, request }), patienceMs) as Promise<Answers[Question]>;

  receive({ request, answer, error }: AnswerMessage): void {
    const waiting = this.requests.take(request);
    if (error !== undefined) waiting?.reject(new Error(error));
    else waiting?.resolve(answer);
  }

  close(): void {
    this.requests.close();
  }
}
