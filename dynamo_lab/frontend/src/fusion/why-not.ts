// Why two operations are not fused. Python's `why_not` is its mirror; one table of cases holds both.
import type { Advice, FusionsView, OperationView, RulingView, ScheduleView } from "../core/types.generated";
import { groupName, type Pair, pairsOf } from "./rounds";

export interface WhyNot {
  readonly title: string;
  readonly isFused: boolean;
  readonly sentences: readonly string[];
  readonly changes: readonly string[];
  readonly reasons: readonly string[];
}

/** The verdicts on groups of which one has the one operation and the other the other. */
export function rowsOf(schedule: ScheduleView, one: number, other: number): Pair[] {
  const has = schedule.groups.map(({ operations }) => (operations.includes(one) ? 1 : 0) + (operations.includes(other) ? 2 : 0));
  return pairsOf(schedule).filter(({ producer, consumer }) => has[producer] !== 3 && has[consumer] !== 3 && has[producer] + has[consumer] === 3 && has[producer] > 0 && has[consumer] > 0);
}

/** The verdict that held: of the last round, and there a refusal rather than a maybe. */
function last(rows: readonly Pair[]): Pair {
  const rank = ({ ruling }: Pair): number => 2 * ruling.round + Number(ruling.outcome === "refused");
  return rows.reduce((best, row) => (rank(row) > rank(best) ? row : best));
}

function rounds(ruling: RulingView): string {
  return ruling.first_round === ruling.round ? `round ${ruling.round}` : `rounds ${ruling.first_round}-${ruling.round}`;
}

const FEW = 3;

/** "op0 + op1 + op2 and 4 more". */
function shortName(schedule: ScheduleView, group: number): string {
  const names = schedule.groups[group].operations.map((index) => schedule.operations[index].name);
  return names.slice(0, FEW).join(" + ") + (names.length > FEW ? ` and ${names.length - FEW} more` : "");
}

/** Puts the names of two groups into a sentence of advice. */
export function filler(schedule: ScheduleView, producer: number, consumer: number): (text: string) => string {
  const [one, other] = [shortName(schedule, producer), shortName(schedule, consumer)];
  return (text) => text.replaceAll("{a}", one).replaceAll("{b}", other);
}

function uses(schedule: ScheduleView, item: OperationView): readonly string[] {
  if (item.place < 0) return item.uses;
  return schedule.groups[schedule.final[item.place].group].operations.flatMap((index) => schedule.operations[index].uses);
}

function never(title: string, culprit: OperationView, advice: Advice | undefined): WhyNot {
  const why = (advice?.why ?? "").replaceAll("{a}", culprit.name).replaceAll("{call}", culprit.call);
  return { title, isFused: false, sentences: [why], changes: advice?.change ? [advice.change] : [], reasons: [] };
}

/** Two operations that were refused to the end, for a reader who has not asked about any; of those selected, where there are such. */
export function refusedPair(schedule: ScheduleView, isHeld: (index: number) => boolean): readonly [number, number] | null {
  const ends = pairsOf(schedule).flatMap(({ producer, consumer, ruling }): [number, number][] => {
    const [one, other] = [schedule.groups[producer].operations.at(-1), schedule.groups[consumer].operations.at(-1)];
    if (ruling.outcome !== "refused" || one === undefined || other === undefined) return [];
    const isApart = schedule.operations[one].place < 0 || schedule.operations[one].place !== schedule.operations[other].place;
    return isApart ? [[one, other]] : [];
  });
  return ends.find(([one, other]) => isHeld(one) || isHeld(other)) ?? ends[0] ?? null;
}

/** Whether the one reads a buffer that the other writes a part of, under a name of its own. */
function isPart(schedule: ScheduleView, part: OperationView, reader: OperationView): boolean {
  const whole = schedule.operations.filter(({ kind }) => kind === "nop");
  return whole.some((item) => part.buffers.some((name) => item.uses.includes(name)) && reader.uses.some((name) => item.buffers.includes(name)));
}

/** Why there is no verdict on a pair, as a key of the advice, and of whom that tells. */
function caseOf(schedule: ScheduleView, a: OperationView, b: OperationView): readonly [string, OperationView] {
  for (const item of [a, b]) {
    if (item.kind === "nop" || item.call.startsWith("a result of ")) return ["nothing", item];
    if (item.kind === "extern" && item.kernel === null && !item.call.includes(".")) return ["wrapper", item];
    if (item.kind === "extern") return [/(mm|convolution)$/.test(item.call) ? "product" : "library", item];
  }
  if (isPart(schedule, a, b)) return ["part", a];
  if (isPart(schedule, b, a)) return ["part", b];
  const shared = new Set(uses(schedule, a));
  if (!uses(schedule, b).some((name) => shared.has(name))) return ["apart", a];
  return [schedule.left_out > 0 ? "unkept" : "crowded", a];
}

function areFused(schedule: ScheduleView, a: OperationView, b: OperationView, rows: readonly Pair[]): WhyNot {
  const fused = rows.find(({ ruling }) => ruling.outcome === "fused");
  const place = schedule.final[a.place];
  const how = fused
    ? `In round ${fused.ruling.round}, ${fused.ruling.kind} fusion: ${groupName(schedule, fused.producer)} with ${groupName(schedule, fused.consumer)}.`
    : `They run side by side in one kernel: a ${schedule.groups[place.group].kind} group.`;
  const kernel = place.name ? [`The kernel is \`${place.name}\`.`] : [];
  return { title: `${a.name} and ${b.name} are fused`, isFused: true, sentences: [how, ...kernel], changes: [], reasons: [] };
}

export function whyNot(schedule: ScheduleView, one: number, other: number, unseen: FusionsView["unseen"][string]): WhyNot {
  const [a, b] = [schedule.operations[one], schedule.operations[other]];
  if (one === other) return never(`${a.name} and ${b.name}`, a, unseen.same);
  const rows = rowsOf(schedule, one, other);
  if (a.place === b.place && a.place >= 0) return areFused(schedule, a, b, rows);
  const title = `${a.name} and ${b.name} are not fused`;
  if (rows.length === 0) {
    const [key, culprit] = caseOf(schedule, a, b);
    return never(title, culprit, unseen[key]);
  }
  const { producer, consumer, ruling } = last(rows);
  const names = [groupName(schedule, producer), groupName(schedule, consumer)];
  const fill = filler(schedule, producer, consumer);
  const why = ruling.why.map((advice) => fill(advice.why));
  const shares = schedule.memory.some(({ steps }) => steps.some(({ operations }) => operations.includes(a.id) && operations.includes(b.id)));
  return {
    title,
    isFused: false,
    sentences: [
      `Considered in ${rounds(ruling)} as ${ruling.kind} fusion: ${names.join(" with ")}.`,
      ...(why.length > 0 ? why : ["Nothing is known of why the pair was refused."]),
      ...(shares ? ["Yet they share a kernel: each has a loop of its own in it."] : []),
    ],
    changes: ruling.why.flatMap((advice) => (advice.change ? fill(advice.change) : [])),
    reasons: ruling.reasons,
  };
}
