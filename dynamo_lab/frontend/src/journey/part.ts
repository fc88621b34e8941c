// The key of the way: a link to what is shown.
import type { Part } from "../core/state";
import { copyLink } from "./copy-link";
import { waysAhead } from "./journey";

export const journeyPart: Part = {
  ahead: waysAhead,
  onKeyAnywhere: ({ key }, store) => {
    if (key !== "y") return false;
    copyLink(store);
    return true;
  },
};
