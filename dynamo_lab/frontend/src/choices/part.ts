// The part of choices: what was chosen without a word.
import type { Part } from "../core/state";
import { Choices } from "./choices";

export const choicesPart: Part = {
  tab: "choices",
  Panel: Choices,
  isThere: ({ model }) => (model.value?.view.choices.length ?? 0) > 0,
  count: (view) => view.choices.reduce((sum, row) => sum + row.count, 0),
};
