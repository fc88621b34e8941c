// Written by scripts/generate_types.py from Python's structs, by `npm run types`.

/** What takes memory in training, and what it is called. */
export const MEMORY_KINDS: Readonly<Record<string, string>> = {
  weight: "weights",
  state: "state",
  sample: "sample",
  activation: "activations",
  gradient: "gradients",
};

/** What can be asked of a node, each with an example. */
export const FIELDS: Readonly<Record<string, string>> = {
  op: "`op:mm`, `op:conv*` or `op:placeholder`",
  dtype: "`dtype:f32`",
  shape: "`shape:8x128` or `shape:*x128`",
  module: "`module:encoder.0` or `module:LayerNorm`",
  line: "`line:12`, `line:12-20` or `line:model.py:12`",
  stage: "`stage:backward`",
  name: "`name:add_3`",
  bytes: "`bytes:>1MB`",
  users: "`users:>3` or `users:0`",
};

/** The stages that `stage:` takes. */
export const STAGES: readonly string[] = [
  "dynamo",
  "pre_grad",
  "joint",
  "forward",
  "backward",
  "post_grad",
  "lowered",
  "scheduled",
  "code",
  "restarted",
  "unknown",
];

/** The fields whose values a search may widen. */
export const WIDENED: readonly string[] = [
  "op",
  "dtype",
  "shape",
  "module",
  "name",
];

/** The kinds of operators, in the order of their colours. */
export const KINDS: readonly string[] = [
  "matrix",
  "reduction",
  "elementwise",
  "normalisation",
  "view",
  "copy",
  "creation",
  "control",
];

/** The colours of KINDS in DOT: inside of a box. */
export const FILLS: readonly string[] = [
  "#d7dcf3",
  "#e8d4e2",
  "#e4e6cf",
  "#d5ebe7",
  "#e3d8d8",
  "#d7d6e7",
  "#cfe4d2",
  "#e0e7ef",
];

/** The colours of KINDS in DOT: a box's border. */
export const STROKES: readonly string[] = [
  "#435dc7",
  "#933977",
  "#818c21",
  "#3aa28f",
  "#7c4b4a",
  "#464191",
  "#1f8030",
  "#708fb5",
];
