// A drawing's SVG as a picture of points, twice as fine as it stands on the screen.

const FINE = 2;
/** Browsers draw no canvas that is longer. */
const LONGEST = 8_000;

export async function asPng(svg: string): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const scale = Math.min(FINE, LONGEST / Math.max(image.width, image.height));
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [Math.ceil(image.width * scale), Math.ceil(image.height * scale)];
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The picture could not be drawn.")))));
}
