// What a node computes, as code.
import type { ComponentChildren } from "preact";
import { splitTarget } from "../core/target";

interface CallProps {
  readonly op: string;
  readonly target: string;
  readonly args: string;
  /** The arguments as they are to be drawn, where that is not as plain text. */
  readonly drawn?: ComponentChildren;
}

export function Call({ op, target, args, drawn }: CallProps) {
  const [space, name, overload] = splitTarget(target);
  if (op === "placeholder") return <span class="dl-op-input">input{args && <span class="dl-dim"> {args}</span>}</span>;
  if (op === "output") return <span class="dl-args">{drawn ?? args}</span>;
  if (op === "get_attr") return <span class="dl-op-input">self.{target}</span>;
  const self = op === "call_module" ? "self." : op === "call_method" ? "." : "";
  return (
    <>
      <span class="dl-dim">{self}{space}</span><span class="dl-op">{name}</span><span class="dl-dim">{overload}</span>
      <span class="dl-args">({drawn ?? args})</span>
    </>
  );
}
