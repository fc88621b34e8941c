// Reads Graphviz's JSON: places of boxes, frames of clusters and curves of edges, y downwards.

export interface Placed {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface PlacedEdge {
  readonly from: string;
  readonly to: string;
  readonly path: string;
  readonly arrow: string;
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly boxes: ReadonlyMap<string, Placed>;
  readonly clusters: ReadonlyMap<string, Placed>;
  readonly edges: readonly PlacedEdge[];
}

interface DotObject {
  readonly name?: string;
  readonly bb?: string;
  readonly pos?: string;
  readonly width?: string;
  readonly height?: string;
}

interface DotEdge {
  readonly tail: number;
  readonly head: number;
  readonly pos?: string;
  readonly style?: string;
}

interface DotJson {
  readonly bb?: string;
  readonly objects?: readonly DotObject[];
  readonly edges?: readonly DotEdge[];
}

type Point = readonly [number, number];

const numbers = (text: string): number[] => text.split(/[\s,]+/).map(Number);

/** "e,x,y x,y x,y ..." : the arrow's tip, then a start and three points a Bezier piece. */
function curve(pos: string, height: number): { path: string; arrow: string } {
  let tip: Point | null = null;
  const points: Point[] = [];
  for (const part of pos.trim().split(/\s+/)) {
    const [x, y] = part.replace(/^[es],/, "").split(",").map(Number);
    const point: Point = [x, height - y];
    if (part.startsWith("e,")) tip = point;
    else if (!part.startsWith("s,")) points.push(point);
  }
  const text = ([x, y]: Point): string => `${x.toFixed(1)},${y.toFixed(1)}`;
  if (points.length === 0) return { path: "", arrow: "" };
  const path = `M${text(points[0])}C${points.slice(1).map(text).join(" ")}`;
  return { path, arrow: tip ? arrowHead(points[points.length - 1], tip) : "" };
}

function arrowHead(from: Point, tip: Point): string {
  const [dx, dy] = [tip[0] - from[0], tip[1] - from[1]];
  const length = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [(dx / length) * 3, (dy / length) * 3];
  const corner = (sign: number): string =>
    `${(from[0] - uy * sign).toFixed(1)},${(from[1] + ux * sign).toFixed(1)}`;
  return `M${corner(1)}L${tip[0].toFixed(1)},${tip[1].toFixed(1)}L${corner(-1)}Z`;
}

function boxFrom(object: DotObject, height: number): Placed | null {
  if (!object.pos) return null;
  const [x, y] = numbers(object.pos);
  const [w, h] = [Number(object.width) * 72, Number(object.height) * 72];
  return { x: x - w / 2, y: height - y - h / 2, width: w, height: h };
}

function clusterFrom(object: DotObject, height: number): Placed | null {
  if (!object.bb) return null;
  const [left, bottom, right, top] = numbers(object.bb);
  return { x: left, y: height - top, width: right - left, height: top - bottom };
}

export function readLayout(json: string): Layout {
  const dot = JSON.parse(json) as DotJson;
  const [, , width = 0, height = 0] = numbers(dot.bb ?? "0,0,0,0");
  const boxes = new Map<string, Placed>();
  const clusters = new Map<string, Placed>();
  const objects = dot.objects ?? [];
  for (const object of objects) {
    const name = object.name ?? "";
    const cluster = /^cluster_(\w+)$/.exec(name);
    const placed = cluster ? clusterFrom(object, height) : boxFrom(object, height);
    if (!placed) continue;
    if (cluster) clusters.set(cluster[1], placed);
    else boxes.set(name, placed);
  }
  const edges = (dot.edges ?? []).filter((edge) => edge.style !== "invis").map((edge) => ({
    from: objects[edge.tail]?.name ?? "",
    to: objects[edge.head]?.name ?? "",
    ...curve(edge.pos ?? "", height),
  }));
  return { width, height, boxes, clusters, edges };
}
