// The part of passes.
import type { Part } from "../core/state";
import { isLogged } from "../traces/logged";
import { isRewrite } from "./items";
import { Passes } from "./passes";
import { passesState } from "./state";

const KEYS: Readonly<Record<string, 1 | -1>> = { ArrowRight: 1, n: 1, ArrowLeft: -1, N: -1 };

export const passesPart: Part = {
  tab: "passes",
  Panel: Passes,
  isThere: (store) => !isLogged(store),
  count: (view) => view.passes.passes.filter(isRewrite).length,
  follow: (store) => void (passesState(store).pass.value = null),
  onKey: ({ key }, store) => {
    if (!Object.hasOwn(KEYS, key)) return false;
    passesState(store).step(KEYS[key]);
    return true;
  },
};
