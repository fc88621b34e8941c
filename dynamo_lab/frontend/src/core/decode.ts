// From the bytes a host holds to what they say.
const GZIP_MAGIC = [0x1f, 0x8b];

/** Traits arrive as DataView, buffers of messages as either: look at the bytes without a copy. */
export function asBytes(data: ArrayBuffer | ArrayBufferView): Uint8Array<ArrayBuffer> {
  if (ArrayBuffer.isView(data)) {
    return new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength);
  }
  return new Uint8Array(data);
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** The text in gzip'd bytes. */
export async function gunzip(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

/** What lies in gzip'd or plain JSON bytes; null for no bytes, which is a recording not begun. */
export async function decode<Payload>(bytes: Uint8Array<ArrayBuffer>): Promise<Payload | null> {
  if (bytes.length === 0) return null;
  const zipped = bytes[0] === GZIP_MAGIC[0] && bytes[1] === GZIP_MAGIC[1];
  const text = zipped ? await gunzip(bytes) : new TextDecoder().decode(bytes);
  return JSON.parse(text) as Payload;
}

/** What lies in a data script of the offline page. */
export async function decodePage<Payload>(text: string, encoding: string | null): Promise<Payload | null> {
  if (encoding === "gzip-base64") return decode<Payload>(fromBase64(text));
  return JSON.parse(text) as Payload;
}
