// Work that can wait until what is asked for now is on the screen.

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
