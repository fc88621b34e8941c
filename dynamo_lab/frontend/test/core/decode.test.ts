import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { asBytes, decode, decodePage } from "../../src/core/decode";
import { small } from "../sample";

const text = JSON.stringify(small());
const bytes = (data: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(data);

describe("decode", () => {
  it("reads gzip'd and plain JSON", async () => {
    expect(await decode(bytes(gzipSync(text)))).toEqual(small());
    expect(await decode(bytes(new TextEncoder().encode(text)))).toEqual(small());
  });

  it("takes no bytes for a recording not begun", async () => {
    expect(await decode(new Uint8Array())).toBeNull();
  });

  it("rejects what is cut short", async () => {
    await expect(decode(bytes(gzipSync(text).subarray(0, 40)))).rejects.toThrow();
  });

  it("reads a view into a larger buffer, as traits arrive", async () => {
    const zipped = gzipSync(text);
    const larger = new Uint8Array(zipped.length + 10);
    larger.set(zipped, 7);
    expect(await decode(asBytes(new DataView(larger.buffer, 7, zipped.length)))).toEqual(small());
  });
});

describe("decodePage", () => {
  it("reads both encodings of the data script", async () => {
    expect(await decodePage(text.replaceAll("<", "\\u003c"), null)).toEqual(small());
    expect(await decodePage(`\n${gzipSync(text).toString("base64")}\n`, "gzip-base64")).toEqual(small());
  });
});
