// The way of one thing through the compiler, as Python's view/journey/journey.py has it: the table
// tests/cases/journey.json holds both.
import { kernelEntity, nodeEntity, opEntity, operatorEntity, parseEntity, statementEntity } from "../core/entities";
import type { Mask } from "../core/kin";
import { derived, type Model } from "../core/model";
import { plural } from "../core/words";
import type { JourneyView, KernelView, OperationView, Station, JourneyStop } from "../core/types.generated";
import { calls, codeStops } from "./code";

type Name = Station["name"];

export const TITLES: Readonly<Record<Name, string>> = {
  code: "your code", captured: "captured", aten: "ATen", decomposed: "decomposed", fused: "fused", kernel: "kernel", instructions: "instructions", time: "time of the kernels",
};

const NAMES = Object.keys(TITLES) as Name[];

/** The stages of a decomposed graph, the last first. */
const LAST: readonly string[] = ["post_grad", "backward", "forward", "joint"];
const SHOWN_NAMES = 3;

interface OfKernel {
  readonly kernel: KernelView;
  /** The lines of its code that are on the way; none for all of it. */
  readonly lines: readonly number[];
}

const entityOf = ({ kernel, lines }: OfKernel): string => (lines.length > 0 ? statementEntity(kernel.id, lines[0]) : kernelEntity(kernel.id));
const lineRange = (first: number, last: number): string => (first === last ? `line ${first}` : `lines ${first}-${last}`);

function joined(names: readonly string[]): string {
  const more = names.length - SHOWN_NAMES;
  return names.slice(0, SHOWN_NAMES).join(" + ") + (more > 0 ? ` + ${more} more` : "");
}

interface OfOperator {
  /** Its place among the operators. */
  readonly at: number;
  /** The vertices of the nodes that it became. */
  readonly vertices: readonly number[];
  readonly isBackward: boolean;
}

/** The operators in the order of their first calls: of thousands of calls, not worked out anew under each row that the pointer passes. */
const operatorsOf = derived(({ view, kin }): readonly OfOperator[] => {
  const { operators, tops } = view.decompositions;
  const backward = new Set(view.graphs.filter((graph) => graph.is_backward).map(({ id }) => id));
  const firsts = operators.map(({ tops: own }) => (own.length > 0 ? own.reduce((first, top) => Math.min(first, top)) : -1));
  const ordered = operators.map((_, at) => at).sort((a, b) => firsts[a] - firsts[b]);
  return ordered.map((at) => {
    const isBackward = operators[at].tops.every((top) => tops[top].nodes.every(([graph]) => backward.has(graph)));
    return { at, vertices: kin.resolve(operatorEntity(at)), isBackward };
  });
});

/** What a way needs of a large program, once. */
export const waysAhead = (model: Model): readonly (() => void)[] => [() => operatorsOf(model)];

class Way {
  private readonly has: (kind: Parameters<Model["kin"]["vertex"]>[0], a: number, b?: number) => boolean;
  private readonly nodes = new Map<number, readonly number[]>();

  constructor(private readonly model: Model, private readonly entity: string, private readonly mask: Mask) {
    const { kin } = model;
    this.has = (kind, a, b) => {
      const vertex = kin.vertex(kind, a, b);
      return vertex >= 0 && mask[vertex] === 1;
    };
    for (const graph of model.view.graphs) this.nodes.set(graph.id, kin.nodesIn(mask, graph.id));
  }

  stations(): Station[] {
    const kernels = this.kernels();
    const stops: Record<Name, JourneyStop[]> = {
      code: this.code(), captured: this.ofStages("dynamo"), aten: this.aten(), decomposed: this.decomposed(), fused: this.fused(),
      kernel: kernels.map((one) => this.kernelStop(one)), instructions: this.instructions(kernels), time: this.times(kernels),
    };
    return NAMES.map((name) => ({ name, title: TITLES[name], stops: stops[name], missing: stops[name].length > 0 ? "" : this.missing(name, kernels) }));
  }

  private nodesOf(graph: number): readonly number[] {
    return this.nodes.get(graph) ?? [];
  }

  private code(): JourneyStop[] {
    const found = codeStops(this.model, this.entity, (graph) => this.nodesOf(graph), (source, line) => this.has("line", source, line));
    return found.map((stop) => ({ ...stop, tab: "", is_backward: false }));
  }

  private ofStages(stage: string): JourneyStop[] {
    return this.model.view.graphs.filter((graph) => graph.stage === stage).flatMap((graph) =>
      this.nodesOf(graph.id).flatMap((node) => {
        const entity = nodeEntity(graph.id, node);
        return calls(graph, node) || entity === this.entity ? [{ entity, text: graph.name[node], tab: "graphs", is_backward: graph.is_backward }] : [];
      }));
  }

  /** The operators that were called, before they were decomposed. */
  private aten(): JourneyStop[] {
    const { operators } = this.model.view.decompositions;
    return operatorsOf(this.model)
      .filter(({ vertices }) => vertices.some((vertex) => this.mask[vertex] === 1))
      .map(({ at, isBackward }) => ({ entity: operatorEntity(at), text: operators[at].operator, tab: "decompositions", is_backward: isBackward }));
  }

  /** The nodes that are lowered: of the last form that each direction was recorded in. */
  private decomposed(): JourneyStop[] {
    const { graphs } = this.model.view;
    return [false, true].flatMap((isBackward) => {
      const stages = new Set(graphs.filter((graph) => graph.is_backward === isBackward).map(({ stage }) => stage as string));
      const last = LAST.find((stage) => stages.has(stage)) ?? "";
      return this.ofStages(last).filter((stop) => stop.is_backward === isBackward);
    });
  }

  private fused(): JourneyStop[] {
    const { view, graphs } = this.model;
    return view.fusions.schedules.flatMap((schedule) => {
      const isOn = (item: OperationView): boolean => this.isOn(item, schedule.graph);
      const groups = new Set(schedule.operations.filter((item) => item.place >= 0 && isOn(item)).map((item) => schedule.final[item.place].group));
      return [...groups].map((group) => {
        const members = schedule.groups[group].operations.map((at) => schedule.operations[at]);
        const first = members.find(isOn) ?? members[0];
        return { entity: opEntity(first.id), text: joined(members.map(({ name }) => name)), tab: "fusion", is_backward: graphs.get(schedule.graph)?.is_backward ?? false };
      });
    });
  }

  /** Whether an operation is on the way of a buffer that it writes, or of a statement. */
  private isOn(item: OperationView, graph: number): boolean {
    const own = parseEntity(this.entity);
    if (own?.kind === "buffer") {
      const written = this.model.view.lowering.buffers.find(({ id }) => id === own.a);
      return written?.graph === graph && item.buffers.includes(written.name);
    }
    if (own?.kind === "statement") return item.kernel === own.a && item.nodes.some((node) => this.has("node", graph, node));
    return this.has("op", item.id);
  }

  private kernels(): OfKernel[] {
    const found: OfKernel[] = [];
    for (const kernel of this.model.view.kernels.kernels) {
      const lines = kernel.statements.map(([line]) => line).filter((line) => this.has("statement", kernel.id, line));
      if (lines.length > 0 || this.has("kernel", kernel.id)) found.push({ kernel, lines });
    }
    return found;
  }

  private kernelStop(one: OfKernel): JourneyStop {
    const { kernel, lines } = one;
    const where = lines.length > 0 ? `, ${plural(lines.length, "statement")} in ${lineRange(lines[0], lines[lines.length - 1])}` : "";
    return { entity: entityOf(one), text: `${kernel.title || kernel.name}${where}`, tab: "kernels", is_backward: kernel.is_backward };
  }

  /** The lines of the lowest level that was recorded of each kernel. */
  private instructions(kernels: readonly OfKernel[]): JourneyStop[] {
    const levels = new Map(this.model.view.kernels.assemblies.filter((one) => one.levels.length > 0).map((one) => [one.kernel, one.levels[one.levels.length - 1]]));
    return kernels.flatMap((one) => {
      const level = levels.get(one.kernel.id);
      if (!level) return [];
      const wanted = new Set(one.lines.length > 0 ? one.lines : one.kernel.statements.map(([line]) => line));
      const low = new Set<number>();
      for (let i = 0; i + 1 < level.lines.length; i += 2) if (wanted.has(level.lines[i + 1])) low.add(level.lines[i]);
      return low.size === 0 ? [] : [{ entity: entityOf(one), text: `${plural(low.size, "line")} of ${level.name}`, tab: "kernels", is_backward: one.kernel.is_backward }];
    });
  }

  /** The measured time of each kernel, which may serve other lines, too. */
  private times(kernels: readonly OfKernel[]): JourneyStop[] {
    const times = new Map(this.model.view.bench?.kernels.kernels);
    return kernels.flatMap(({ kernel }) => {
      const text = times.get(kernel.id);
      return text === undefined ? [] : [{ entity: kernelEntity(kernel.id), text, tab: "bench", is_backward: kernel.is_backward }];
    });
  }

  private missing(name: Name, kernels: readonly OfKernel[]): string {
    const { view } = this.model;
    if (name === "code") return "no line of your code is linked to it";
    if (name === "instructions") {
      if (kernels.length === 0) return "no kernel";
      const isKept = view.kernels.assemblies.some((one) => kernels.some(({ kernel }) => kernel.id === one.kernel));
      return isKept ? "none is tied to it" : "not recorded: assembly=True keeps them";
    }
    if (name === "time") {
      if (kernels.length === 0) return "no kernel";
      return view.bench === null ? "not measured" : "its kernels were not timed";
    }
    if (name === "kernel" && view.kernels.kernels.length > 0) return "no kernel computes it";
    return this.isAbsent(name) ? "none recorded" : "nothing of it";
  }

  /** Whether the recording has nothing at this station, whatever is asked for. */
  private isAbsent(name: Name): boolean {
    const { graphs, decompositions, fusions, kernels } = this.model.view;
    if (name === "captured") return graphs.every(({ stage }) => stage !== "dynamo");
    if (name === "aten") return decompositions.operators.length === 0;
    if (name === "fused") return fusions.schedules.length === 0;
    if (name === "kernel") return kernels.kernels.length === 0;
    return graphs.every(({ stage }) => stage === "dynamo" || stage === "pre_grad");
  }
}

/** The way of an entity, whose kin are set in the mask. */
export function journeyOf(model: Model, entity: string, mask: Mask): JourneyView {
  return { entity, stations: new Way(model, entity, mask).stations() };
}
