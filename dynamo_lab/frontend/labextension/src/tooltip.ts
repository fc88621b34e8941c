// Says why a line is marked: plain text beside the pointer.

const GAP = 14;
const EDGE = 8;

export class Tooltip {
  private box: HTMLElement | null = null;

  show(text: string, at: MouseEvent): void {
    if (text === "") return this.hide();
    const box = (this.box ??= this.open());
    if (box.textContent !== text) box.textContent = text;
    const { width, height } = box.getBoundingClientRect();
    const below = at.clientY + GAP;
    const top = below + height + EDGE > innerHeight ? at.clientY - GAP - height : below;
    box.style.left = `${Math.max(EDGE, Math.min(at.clientX + GAP, innerWidth - width - EDGE))}px`;
    box.style.top = `${Math.max(EDGE, top)}px`;
  }

  hide(): void {
    this.box?.remove();
    this.box = null;
    removeEventListener("scroll", this.away, true);
    removeEventListener("keydown", this.away, true);
  }

  private readonly away = (): void => this.hide();

  private open(): HTMLElement {
    const box = document.createElement("div");
    box.className = "dynamo-lab-tooltip";
    box.setAttribute("role", "tooltip");
    document.body.append(box);
    addEventListener("scroll", this.away, true);
    addEventListener("keydown", this.away, true);
    return box;
  }
}
