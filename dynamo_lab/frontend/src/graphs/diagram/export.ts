// What a diagram shows, as DOT with its labels: the same text as Python's renderer `dot` writes,
// line by line (tests/render/golden/dot holds both to it).
import { FILLS, KINDS, STROKES } from "../../core/tables.generated";
import type { GraphIndex } from "../graph-index";
import { bodyName, labelOf, moduleLabel, repeatLabel } from "./labels";
import type { Box, Cluster, Graphs, Scene } from "./scenes";
import { oneLine } from "./visible";

const GRAPH = { fontname: "Helvetica", nodesep: "0.22", rankdir: "TB", ranksep: "0.32" };
const NODE = {
  color: "#9aa3ae", fillcolor: "#ffffff", fontcolor: "#1c2127", fontname: "Helvetica", fontsize: "11",
  shape: "box", style: "filled",
};
const EDGE = { arrowsize: "0.6", color: "#7d8794" };
const CLUSTER = { color: "#b9c0c9", fillcolor: "#f6f7f9", fontcolor: "#5a6472", fontsize: "11" };

type Attributes = Readonly<Record<string, string>>;

const PLAIN = /^([a-zA-Z_][a-zA-Z0-9_]*|-?(\.[0-9]+|[0-9]+(\.[0-9]*)?))$/;
const KEYWORDS: ReadonlySet<string> = new Set(["node", "edge", "graph", "digraph", "subgraph", "strict"]);

/** In quotes where DOT needs them; a backslash is written by `escaped` alone. */
const quoted = (text: string): string =>
  PLAIN.test(text) && !KEYWORDS.has(text.toLowerCase()) ? text : `"${text.replaceAll('"', '\\"')}"`;
const escaped = (text: string): string => oneLine(text).replaceAll("\\", "\\\\");
const label = (...lines: string[]): string => lines.filter((line) => line !== "").map(escaped).join("\\n");
const list = (attributes: Attributes): string => Object.entries(attributes).map(([key, value]) => `${key}=${quoted(value)}`).join(" ");

function looks(index: GraphIndex, box: Box): Attributes {
  if (box.node < 0) return { color: "#4477aa", fillcolor: "#f1f4f8", style: "filled,rounded" };
  if (!index.op(box.node).startsWith("call_")) return { fillcolor: "#f6f7f9", style: "filled,dashed" };
  const at = KINDS.indexOf(index.kind(box.node));
  return at < 0 ? {} : { color: STROKES[at], fillcolor: FILLS[at] };
}

export function exportDot(scene: Scene, graphs: Graphs, indexOf: (graph: number) => GraphIndex): string {
  const title = (graph: number): string => graphs.get(graph)?.title ?? "";
  const fill = (cluster: Cluster, tab: string): string[] => [
    ...cluster.boxes.map((box) => {
      const index = indexOf(box.graph);
      const { title, detail } = labelOf(index, box);
      return `${tab}${box.id} [${list({ label: label(title, detail) }) + Object.entries(looks(index, box)).map(([key, value]) => ` ${key}=${quoted(value)}`).join("")}]`;
    }),
    ...cluster.clusters.flatMap((inner) => {
      const { repeats, modules } = indexOf(inner.graph).graph;
      const name = inner.repeat >= 0 ? repeatLabel(repeats[inner.repeat]) : inner.id.startsWith("b") ? bodyName(title(inner.graph)) : moduleLabel(modules[inner.module]);
      return [
        `${tab}subgraph cluster_${inner.id} {`,
        `${tab}\tgraph [${list({ ...CLUSTER, label: label(name), labeljust: "l", style: "rounded,filled" })}]`,
        ...fill(inner, `${tab}\t`),
        `${tab}}`,
      ];
    }),
  ];
  const edge = ({ from, to, weight, isCall }: Scene["edges"][number]): string => {
    const style = isCall ? " [style=dashed]" : weight > 1 ? ` [weight=${Math.min(weight, 8)}]` : "";
    return `\t${from} -> ${to}${style}`;
  };
  return [
    `digraph ${quoted(escaped(title(scene.root.graph)))} {`,
    `\tgraph [${list(GRAPH)}]`, `\tnode [${list(NODE)}]`, `\tedge [${list(EDGE)}]`,
    ...fill(scene.root, "\t"),
    ...scene.edges.map(edge),
    "}", "",
  ].join("\n");
}
