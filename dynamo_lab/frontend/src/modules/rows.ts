// The rows of the tree that stand open, and what each is worth of the whole.
import type { ModuleRow, ModulesView } from "../core/types.generated";

/** What a bar can be of. */
export const MEASURES = ["seconds", "bytes", "flops", "compile"] as const;
export type Measure = (typeof MEASURES)[number];

export const MEASURE_NAMES: Readonly<Record<Measure, string>> = {
  seconds: "time", bytes: "bytes", flops: "FLOP", compile: "compile time",
};

export interface TreeRow {
  readonly row: ModuleRow;
  /** By its names from the root, so that it stays open while newer views of the run come in. */
  readonly key: string;
  readonly depth: number;
  /** Of several blocks: whether it is not like most of them. */
  readonly isOther: boolean;
}

/** All rows below the roots, those of closed ones left out. */
export function openRows(view: ModulesView, isOpen: (key: string) => boolean): TreeRow[] {
  const found: TreeRow[] = [];
  const add = (at: number, around: string, depth: number, isOther: boolean): void => {
    const row = view.rows[at];
    if (!row) return;
    const key = `${around}/${row.name}`;
    found.push({ row, key, depth, isOther });
    if (!isOpen(key)) return;
    row.children.forEach((child, i) => add(child, key, depth + 1, row.alike > 1 && !row.usual.includes(i)));
  };
  view.roots.forEach((root) => add(root, "", 0, false));
  return found;
}

/** What is open at first: level by level, as long as all rows are seen at once; repeated blocks stay closed. */
export function initiallyOpen(view: ModulesView, comfortable = 24): Set<string> {
  let open = new Set<string>();
  for (;;) {
    const rows = openRows(view, (key) => open.has(key));
    const next = rows.filter(({ row, key }) => row.alike === 1 && row.children.length > 0 && !open.has(key));
    const wider = new Set([...open, ...next.map(({ key }) => key)]);
    if (next.length === 0 || openRows(view, (key) => wider.has(key)).length > comfortable) return open;
    open = wider;
  }
}

/** What bars can be of here, the first of them by default. */
export function measuresOf(view: ModulesView): Measure[] {
  return MEASURES.filter((measure) => view.roots.some((root) => (view.rows[root]?.[measure] ?? 0) > 0));
}

export interface Heat {
  /** The part of the whole that is of the module alone. */
  readonly own: number;
  /** The part that it has a share in: not added. */
  readonly shared: number;
}

/** What each row is of the whole of this measure. */
export function heatOf(view: ModulesView, measure: Measure): (row: ModuleRow) => Heat {
  if (measure === "seconds") return (row) => ({ own: row.heat, shared: row.shared_heat });
  const whole = view.roots.reduce((sum, root) => sum + (view.rows[root]?.[measure] ?? 0), 0);
  return (row) => ({ own: whole > 0 ? (row[measure] ?? 0) / whole : 0, shared: 0 });
}

/** The kernels of a module: those of it alone, with all within it, and those that it shares with others. */
export function kernelsOf(view: ModulesView, row: ModuleRow): { readonly own: readonly number[]; readonly shared: readonly number[] } {
  const own = new Set<number>();
  const add = (one: ModuleRow): void => {
    for (const id of one.kernels) own.add(id);
    for (const child of one.children) if (view.rows[child]) add(view.rows[child]);
  };
  add(row);
  return { own: [...own].sort((a, b) => a - b), shared: row.fused };
}
