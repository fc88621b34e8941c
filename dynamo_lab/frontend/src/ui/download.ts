/** Hands bytes to the reader as a file, by the browser's own download. */
export function download(name: string, bytes: Uint8Array<ArrayBuffer>): void {
  const url = URL.createObjectURL(new Blob([bytes]));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // Not at once: the download starts after this turn of the event loop.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
