// What a diagram shows, as an SVG of its own: looks that the page's style sheet gives are written
// into it, texts are made visible, and the legend stands below.
import { visible } from "./visible";

const SVG = "http://www.w3.org/2000/svg";
const LOOKS = [
  "fill", "stroke", "stroke-width", "stroke-dasharray", "font-size", "font-weight", "font-family", "text-anchor",
] as const;
const MARGIN = 16;
const ROW = 18;

/** `color-mix` computes to "color(srgb 0.1 0.2 0.3 / 0.5)", which few programs but browsers read. */
export function plainColour(value: string): readonly [colour: string, opacity: string] {
  const mixed = /^color\(srgb ([\d.e-]+) ([\d.e-]+) ([\d.e-]+)(?: \/ ([\d.e-]+))?\)$/.exec(value);
  if (!mixed) return [value, ""];
  const parts = mixed.slice(1, 4).map((part) => Math.round(Math.max(0, Math.min(1, Number(part))) * 255));
  return [`rgb(${parts.join(", ")})`, mixed[4] ?? ""];
}

function dress(from: Element, to: Element): void {
  const style = getComputedStyle(from);
  for (const look of LOOKS) {
    const [value, opacity] = plainColour(style.getPropertyValue(look));
    if (value && value !== "normal") to.setAttribute(look, value);
    if (opacity) to.setAttribute(`${look}-opacity`, opacity);
  }
}

function element(name: string, attributes: Readonly<Record<string, string | number>>, text?: string): SVGElement {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  if (text !== undefined) made.textContent = visible(text);
  return made;
}

const DRAWN = "rect, path, text";
const CONTROLS = ".dl-close-box";

/** The drawn shapes, as copies with their looks. */
function shapes(drawing: Element): SVGElement[] {
  return [...drawing.querySelectorAll(DRAWN)].filter((shape) => !shape.closest(CONTROLS)).map((shape) => {
    const copy = element(shape.tagName, {});
    for (const name of ["x", "y", "width", "height", "rx", "d"]) {
      const value = shape.getAttribute(name);
      if (value !== null) copy.setAttribute(name, value);
    }
    if (shape.tagName === "text") copy.textContent = visible(shape.textContent ?? "");
    dress(shape, copy);
    return copy;
  });
}

function legend(title: string, swatches: readonly Element[], top: number, textColour: string): SVGElement[] {
  const text = (label: string, x: number, y: number): SVGElement =>
    element("text", { x, y: y + 10, "font-size": 12, "font-family": "sans-serif", fill: textColour }, label);
  return [
    text(`Colours: ${title}`, 0, top),
    ...swatches.flatMap((shown, i) => {
      const y = top + (i + 1) * ROW;
      const fill = plainColour(getComputedStyle(shown).backgroundColor)[0];
      return [element("rect", { x: 0, y, width: 12, height: 12, rx: 2, fill }), text(shown.parentElement?.textContent ?? "", 18, y)];
    }),
  ];
}

/** The SVG of a drawing, `width` by `height` without its legend. */
export function exportSvg(drawing: Element, width: number, height: number, title: string, colours: string, swatches: readonly Element[]): string {
  const page = getComputedStyle(drawing.closest(".dynamo-lab") ?? drawing);
  const rows = (swatches.length + 2) * ROW;
  const [wide, high] = [Math.max(width, 260) + 2 * MARGIN, height + rows + 2 * MARGIN];
  const svg = element("svg", { width: wide, height: high, viewBox: `${-MARGIN} ${-MARGIN} ${wide} ${high}` });
  const background = plainColour(page.getPropertyValue("background-color"))[0];
  svg.append(
    element("title", {}, title),
    element("rect", { x: -MARGIN, y: -MARGIN, width: wide, height: high, fill: background }),
    ...shapes(drawing),
    ...legend(colours, swatches, height + ROW, plainColour(page.color)[0]),
  );
  return `${new XMLSerializer().serializeToString(svg)}\n`;
}
