// Names of the things that can be hovered and pinned. The Python side uses the first seven, "buffer", "statement" and "expression";
// "graph:<id>", "module:<graph>:<index>" and "operator:<index>" stand for all nodes they hold.

export type Kind = "line" | "node" | "kernel" | "break" | "frame" | "guard" | "symbol" | "graph" | "module" | "operator" | "buffer" | "op" | "statement" | "expression";

export interface Entity {
  readonly kind: Kind;
  readonly a: number;
  readonly b: number;
}

const KINDS: ReadonlySet<string> = new Set([
  "line", "node", "kernel", "break", "frame", "guard", "symbol", "graph", "module", "operator", "buffer", "op", "statement", "expression",
]);

export function parseEntity(text: string): Entity | null {
  const [kind, a, b] = text.split(":");
  if (!KINDS.has(kind) || a === undefined || a === "") return null;
  const first = Number(a);
  const second = b === undefined ? -1 : Number(b);
  if (!Number.isInteger(first) || !Number.isInteger(second)) return null;
  return { kind: kind as Kind, a: first, b: second };
}

export const lineEntity = (source: number, line: number): string => `line:${source}:${line}`;
export const nodeEntity = (graph: number, node: number): string => `node:${graph}:${node}`;
export const kernelEntity = (id: number): string => `kernel:${id}`;
export const breakEntity = (id: number): string => `break:${id}`;
export const frameEntity = (id: number): string => `frame:${id}`;
export const guardEntity = (index: number): string => `guard:${index}`;
export const symbolEntity = (index: number): string => `symbol:${index}`;
export const graphEntity = (id: number): string => `graph:${id}`;
/** An operator of the Decompositions tab: all the nodes that it became. */
export const operatorEntity = (index: number): string => `operator:${index}`;
export const bufferEntity = (id: number): string => `buffer:${id}`;
/** An operation of a schedule, by its number over all schedules. */
export const opEntity = (id: number): string => `op:${id}`;
/** A line of a kernel's code that computes. */
export const statementEntity = (kernel: number, line: number): string => `statement:${kernel}:${line}`;
export const moduleEntity = (graph: number, index: number): string => `module:${graph}:${index}`;
/** A call or an operator in a line that captured nodes were made for. */
export const expressionEntity = (index: number): string => `expression:${index}`;
