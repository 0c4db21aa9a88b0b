import { describe, expect, test } from "bun:test";
import { cleanImage, UnsupportedImage } from "#src/platform/images/clean";
import { expectMalformed, hex } from "../../support/cleaning.ts";
import {
  gifWith,
  joined,
  jpegWith,
  LOSSLESS,
  PNG_SIGNATURE,
  pngWith,
  riffChunk,
  webpOf,
} from "../../support/images.ts";

const webp = webpOf(riffChunk("VP8L", LOSSLESS));

describe("an image is refused as unsupported:", () => {
  const others: [string, Uint8Array][] = [
    ["an empty file", new Uint8Array()],
    ["text", joined("just text")],
    ["SVG", joined('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ["PDF", joined("%PDF-1.7")],
    ["TIFF", joined("MM\0*\0\0\0\x08")],
    ["BMP", joined("BM", new Uint8Array(60))],
    ["AVIF", joined([0, 0, 0, 24], "ftypavif")],
    ["JPEG XL", joined([0xff, 0x0a, 0, 0])],
    ["a sound file in RIFF format", joined("RIFF", [36, 0, 0, 0], "WAVEfmt ")],
    ["an image that starts after the first byte", joined("x", pngWith())],
    ["half a signature", joined(PNG_SIGNATURE.slice(0, 7))],
  ];
  for (const [name, bytes] of others)
    test(name, () => expect(() => cleanImage(bytes)).toThrow(UnsupportedImage));
});

test("a file with an image signature and nothing else is malformed", () => {
  for (const start of [PNG_SIGNATURE, [0xff, 0xd8, 0xff], "GIF89a", "RIFF\x04\0\0\0WEBP"]) {
    expectMalformed(joined(start), "");
  }
});

test("an image cleaned from a Buffer shares no memory with the removed data", () => {
  const clean = cleanImage(Buffer.from(pngWith({ trailing: "secret" })));
  expect(clean.bytes.buffer.byteLength).toBe(clean.bytes.length);
});

test("an image that is a view of a larger buffer is read like a separate one, and the buffer is not changed", () => {
  for (const image of [
    jpegWith({ trailing: "x" }),
    pngWith({ trailing: "x" }),
    joined(webp, "x"),
    gifWith({ trailing: "x" }),
  ]) {
    const large = new Uint8Array(image.length + 20).fill(0xff);
    large.set(image, 10);
    const before = hex(large);
    const clean = cleanImage(large.subarray(10, 10 + image.length));
    expect(hex(clean.bytes)).toBe(hex(image.subarray(0, -1)));
    expect(hex(large)).toBe(before);
  }
});
