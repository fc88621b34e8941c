// What is done with the view as a whole: the code beside it, the room that it takes, a window of its own.
import { useSignal } from "@preact/signals";
import { useMounted } from "../core/context";
import { messageOf } from "../core/words";
import { addressNow } from "../journey/address";
import { maximiseState } from "./maximise";

export function CodeToggle() {
  const { store } = useMounted();
  if (store.tabs.value.length === 0) return null;
  const isShown = store.isCodeShown.value;
  return (
    <button type="button" class="dl-button dl-code-toggle" aria-pressed={isShown} title={`${isShown ? "Hide" : "Show"} your code (c)`} onClick={store.toggleCode}>
      Your code
    </button>
  );
}

/** A page of its own fills its window already. */
export function RoomTools() {
  const { store, host, root } = useMounted();
  const status = useSignal("");
  const { isOn, toggle } = maximiseState(store);
  const { popOut } = store.source;
  if (host === "page") return null;
  const label = isOn.value ? "Back into the notebook (m)" : "Fill the notebook's panel (m)";
  const open = (): void => {
    status.value = "";
    popOut?.(root, addressNow(store)).catch((error: unknown) => (status.value = messageOf(error)));
  };
  return (
    <>
      {status.value && <span class="dl-status" role="status">{status.value}</span>}
      <button type="button" class="dl-icon" aria-pressed={isOn.value} aria-label={label} title={label} onClick={() => toggle(root)}>{isOn.value ? "\u2921" : "\u2922"}</button>
      {popOut && store.model.value && <button type="button" class="dl-icon" aria-label="Open it in a place of its own" title="Open it in a place of its own: a tab of JupyterLab, or a window" onClick={open}>{"\u2197"}</button>}
    </>
  );
}
