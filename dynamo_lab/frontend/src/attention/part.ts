// The part of attention: which kernel runs where.
import { parseEntity } from "../core/entities";
import type { Part } from "../core/state";
import { Attention } from "./attention";

export const attentionPart: Part = {
  tab: "attention",
  Panel: Attention,
  isThere: ({ model }) => (model.value?.view.attentions.length ?? 0) > 0,
  count: (view) => view.attentions.length,
  hasKin: ({ view, kin }, held) => view.attentions.some(({ node }) => {
    const found = parseEntity(node);
    return found !== null && held[kin.vertex("node", found.a, found.b)] === 1;
  }),
};
