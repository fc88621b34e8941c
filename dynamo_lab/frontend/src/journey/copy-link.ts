// A link to what is shown, into the clipboard, and told where the reader looks.
import type { Store } from "../core/state";
import { linkTo } from "./address";

/** Long enough to read a link, and to select it where it could not be copied. */
const TOLD_MS = 8_000;

export function copyLink(store: Store): void {
  const link = linkTo(store);
  const tell = (text: string): void => {
    store.told.value = text;
    setTimeout(() => store.told.value === text && (store.told.value = ""), TOLD_MS);
  };
  const written = navigator.clipboard?.writeText(link) ?? Promise.reject(new Error("no clipboard"));
  written.then(() => tell(`Copied: ${link}`), () => tell(link));
}
