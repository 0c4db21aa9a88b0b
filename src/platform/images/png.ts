import { crc32 } from "node:zlib";
import type { CleanedImage } from "./clean-image.ts";
import { minimalTiff, orientationOf } from "./exif.ts";
import { Output } from "./output.ts";
import { cleanIccp } from "./png-profile.ts";
import { MalformedImage } from "./refusals.ts";
import type { Source } from "./source.ts";

const SIGNATURE_LENGTH = 8;
/** The bytes of a chunk besides its data: length, type and checksum. */
const AROUND_DATA = 12;
const DATA_AT = 8;
const CHECKSUM_LENGTH = 4;
const NAME = /^[A-Za-z]{4}$/;
/**
 * Chunks that are kept even if they are repeated. For example, a second acTL makes some decoders show a still
 * image, but not all.
 */
const REPEATED = new Set(["IDAT", "acTL", "fcTL", "fdAT"]);
const KEPT = new Set([
  ...["IHDR", "PLTE", "IDAT", "IEND", "tRNS", "acTL", "fcTL", "fdAT"],
  ...["gAMA", "cHRM", "sRGB", "iCCP", "sBIT", "bKGD", "hIST", "pHYs", "cICP", "mDCV", "cLLI"],
]);
/** The only kept chunks that may be longer than the longest palette. */
const UNBOUNDED = new Set(["IDAT", "fdAT", "iCCP"]);
const MAX_PALETTE = 3 * 256;

const PALETTE = 3;
/** The permitted bit depths by colour type. */
const DEPTHS: Record<number, number[]> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  [PALETTE]: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};

/**
 * Keeps the chunks that define the picture and its colours, and an Orientation. Removes every other chunk, including
 * text, other Exif and times, and bytes after the end.
 * @throws MalformedImage
 */
export function cleanPng(source: Source): CleanedImage {
  const output = new Output(source.bytes);
  output.keep(0, SIGNATURE_LENGTH);
  const header = readHeader(source);
  const met = new Set<string>();
  let previous = "";

  for (let at = SIGNATURE_LENGTH; ; ) {
    const length = source.uint32(at);
    const type = source.text(at + 4, 4);
    const end = at + AROUND_DATA + length;
    if (!NAME.test(type)) throw new MalformedImage("a chunk has no proper name");
    source.reachTo(end);

    // Decoders use the first of several chunks of one type and ignore the others.
    const isRepeated = met.has(type) && !REPEATED.has(type);
    if (type === "eXIf" && !isRepeated && !met.has("IDAT") && hasChecksum(source, at, end)) {
      met.add(type);
      const orientation = orientationOf(source.bytes.subarray(at + DATA_AT, end - CHECKSUM_LENGTH));
      if (orientation !== 1) output.put(chunkOf(type, minimalTiff(orientation)));
    } else if (KEPT.has(type) && (!isRepeated || isStructural(type))) {
      if (!hasChecksum(source, at, end)) throw new MalformedImage(`the checksum of ${type} is wrong`);
      if (length > MAX_PALETTE && !UNBOUNDED.has(type)) throw new MalformedImage(`${type} is too long`);
      if (isRepeated || isOutOfPlace(type, met, previous))
        throw new MalformedImage(`${type} is out of place`);
      if (type === "PLTE" && header.colourType === PALETTE && (length === 0 || length % 3 !== 0))
        throw new MalformedImage("its palette has a wrong length");
      if (type === "IDAT" && header.colourType === PALETTE && !met.has("PLTE"))
        throw new MalformedImage("its palette is missing");
      if (type === "IEND" && length !== 0) throw new MalformedImage("IEND holds data");
      if (type === "iCCP") keepProfile(source, at, end, output);
      else output.keep(at, end);
      met.add(type);
      previous = type;
    }
    if (type === "IEND") return { bytes: output.bytes(), width: header.width, height: header.height };
    at = end;
  }
}

const hasChecksum = (source: Source, at: number, end: number) =>
  crc32(source.bytes.subarray(at + 4, end - CHECKSUM_LENGTH)) === source.uint32(end - CHECKSUM_LENGTH);

function keepProfile(source: Source, at: number, end: number, output: Output): void {
  const data = source.bytes.subarray(at + DATA_AT, end - CHECKSUM_LENGTH);
  const cleaned = cleanIccp(data);
  if (cleaned === data) output.keep(at, end);
  else if (cleaned !== null) output.put(chunkOf("iCCP", cleaned));
}

function chunkOf(type: string, data: Uint8Array): Uint8Array {
  const chunk = new Uint8Array(AROUND_DATA + data.length);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, data.length);
  for (let place = 0; place < 4; place += 1) chunk[4 + place] = type.charCodeAt(place);
  chunk.set(data, DATA_AT);
  view.setUint32(DATA_AT + data.length, crc32(chunk.subarray(4, DATA_AT + data.length)));
  return chunk;
}

const isStructural = (type: string) => type === "IHDR" || type === "PLTE";

/**
 * Whether a kept chunk is in an invalid place among the kept chunks. Chunks between them are not checked, because
 * they are removed.
 */
function isOutOfPlace(type: string, met: Set<string>, previous: string): boolean {
  if (type === "IDAT") return met.has("IDAT") && previous !== "IDAT";
  if (type === "PLTE") return met.has("IDAT");
  return type === "IEND" && !met.has("IDAT");
}

function readHeader(source: Source): { width: number; height: number; colourType: number } {
  const data = SIGNATURE_LENGTH + 8;
  if (source.uint32(SIGNATURE_LENGTH) !== 13 || source.text(SIGNATURE_LENGTH + 4, 4) !== "IHDR")
    throw new MalformedImage("its header is missing");
  const width = source.uint32(data);
  const height = source.uint32(data + 4);
  const depth = source.byte(data + 8);
  const colourType = source.byte(data + 9);
  if (width < 1 || width > 0x7fffffff || height < 1 || height > 0x7fffffff)
    throw new MalformedImage("its size is out of range");
  if (!DEPTHS[colourType]?.includes(depth)) throw new MalformedImage("its kind of colours is not known");
  const [compression, filter, interlace] = [
    source.byte(data + 10),
    source.byte(data + 11),
    source.byte(data + 12),
  ];
  if (compression !== 0 || filter !== 0 || interlace > 1) throw new MalformedImage("its coding is not known");
  return { width, height, colourType };
}
