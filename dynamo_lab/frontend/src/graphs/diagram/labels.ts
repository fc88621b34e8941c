// The two lines of a box: what it is, and its name and value, or how much it holds.
import { splitTarget } from "../../core/target";
import type { ModuleView, RepeatView } from "../../core/types.generated";
import { cut, plural } from "../../core/words";
import type { GraphIndex } from "../graph-index";
import { type Box, nodesOf } from "./scenes";
import { grouped } from "../../core/words";

export interface Label {
  readonly title: string;
  readonly detail: string;
}

/** Parameters begin alike: what tells them apart stands at the end. */
const cutFront = (text: string, most: number): string => (text.length > most ? `\u2026${text.slice(text.length - most + 1)}` : text);

/** "h.0 GPT2Block": a bare number says nothing without what it counts. */
export function moduleLabel({ name, path, type }: ModuleView): string {
  const place = /^\d+$/.test(name) ? path.split(".").slice(-2).join(".") : name || path;
  return [place, type !== name && type].filter(Boolean).join(" ");
}

const TIMES = "\u00d7";

/** "24 times h.0 … h.23", with a sign, or what the blocks hold where they have no name. */
export const repeatLabel = ({ times, name, holds }: RepeatView): string => `${TIMES} ${grouped(times)} ${name || holds}`;

/** "body 1 of cond": the title without the graph that it lies in. */
export const bodyName = (title: string): string => title.slice(Math.max(0, title.indexOf("body ")));

export function labelOf(index: GraphIndex, box: Box): Label {
  const { graph } = index;
  if (box.node < 0) {
    const count = nodesOf(graph, box).length;
    if (box.blocks) {
      const { parts, isRest, repeat } = box.blocks;
      const title = isRest ? `${TIMES} ${grouped(parts.length)} more` : repeatLabel(graph.repeats[repeat]);
      return { title: cut(title, 34), detail: `${plural(Math.floor(count / parts.length), "node")} each` };
    }
    return { title: cut(moduleLabel(graph.modules[box.module]), 34), detail: plural(count, "node") };
  }
  const op = index.op(box.node);
  const title = op.startsWith("call_") ? cut(splitTarget(index.target(box.node))[1], 30) : op.replace("placeholder", "input");
  // Inputs bear the long names of parameters, and there are many side by side.
  const name = op === "placeholder" ? cutFront(graph.name[box.node], 18) : graph.name[box.node];
  const detail = op === "output" ? "" : cut([name, index.value(box.node)].filter(Boolean).join(": "), 36);
  return { title, detail };
}
