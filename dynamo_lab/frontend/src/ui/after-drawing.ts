// Work that can wait until what is asked for now is on the screen.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

export interface AfterDrawing {
  /** Does this once the next frame is drawn, unless something else is asked for before. */
  soon(act: () => void): void;
  never(): void;
}

export function afterDrawing(): AfterDrawing {
  let frame = 0;
  let timer = 0;
  const never = (): void => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
  const soon = (act: () => void): void => {
    never();
    frame = requestAnimationFrame(() => {
      timer = window.setTimeout(act);
    });
  };
  return { soon, never };
}

/** Whether what is around it is on the screen: an editor takes longer to make than all the rest of a view. */
export function useDrawn(): boolean {
  const isDrawn = useSignal(false);
  useEffect(() => {
    const drawn = afterDrawing();
    drawn.soon(() => void (isDrawn.value = true));
    return drawn.never;
  }, []);
  return isDrawn.value;
}
