// The key of the way: a link to what is shown.
import type { Part } from "../core/state";
import { linkTo } from "./address";
import { waysAhead } from "./journey";

/** Long enough to read a link, and to select it where it could not be copied. */
const TOLD_MS = 8_000;

export const journeyPart: Part = {
  ahead: waysAhead,
  onKeyAnywhere: ({ key }, store) => {
    if (key !== "y") return false;
    const link = linkTo(store);
    const tell = (text: string): void => {
      store.told.value = text;
      setTimeout(() => store.told.value === text && (store.told.value = ""), TOLD_MS);
    };
    const written = navigator.clipboard?.writeText(link) ?? Promise.reject(new Error("no clipboard"));
    written.then(() => tell(`Copied: ${link}`), () => tell(link));
    return true;
  },
};
