import { MalformedImage } from "./refusals.ts";
import type { Source } from "./source.ts";

/** Returns the width and height in the header of a WebP bitstream. @throws MalformedImage */
export function sizeOfBitstream(source: Source, type: string, at: number, length: number) {
  if (type === "VP8 ") return sizeOfLossy(source, at, length);
  if (type === "VP8L") return sizeOfLossless(source, at, length);
  throw new MalformedImage("it does not begin with an image");
}

function sizeOfLossy(source: Source, at: number, length: number) {
  if (length < 10) throw new MalformedImage("its image is cut off");
  const tag = source.uint24LittleEndian(at);
  const isShownKeyFrame = (tag & 0x01) === 0 && (tag & 0x10) !== 0;
  if (!isShownKeyFrame || !source.has(at + 3, "\x9d\x01\x2a"))
    throw new MalformedImage("its image is not VP8");
  if (tag >> 5 >= length) throw new MalformedImage("its image is cut off");
  const width = source.uint16(at + 6, true) & 0x3fff;
  const height = source.uint16(at + 8, true) & 0x3fff;
  if (width === 0 || height === 0) throw new MalformedImage("its size is zero");
  return { width, height };
}

function sizeOfLossless(source: Source, at: number, length: number) {
  if (length < 5) throw new MalformedImage("its image is cut off");
  const header = source.uint32(at + 1, true);
  if (source.byte(at) !== 0x2f || header >>> 29 !== 0) throw new MalformedImage("its image is not VP8L");
  return { width: 1 + (header & 0x3fff), height: 1 + ((header >>> 14) & 0x3fff) };
}
