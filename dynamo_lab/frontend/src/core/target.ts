// Reading an operator's dotted name.

/** Namespaces whose operators end in an overload: "aten.add.Tensor". */
const OVERLOADED = /^(torch\.ops\.)?(aten|prims|inductor\w*|quantized\w*|higher_order|_c10d_functional|rng_prims)\./;

/** A target as its dim namespace, the operator's own name, and the dim overload. */
export function splitTarget(target: string): readonly [string, string, string] {
  const space = OVERLOADED.exec(target)?.[0];
  const start = space?.length ?? target.lastIndexOf(".") + 1;
  const dot = space ? target.indexOf(".", start) : -1;
  const end = dot < 0 ? target.length : dot;
  return [target.slice(0, start), target.slice(start, end), target.slice(end)];
}
