import type { CleanedImage } from "./clean-image.ts";
import { cleanProfile } from "./icc.ts";
import { Output } from "./output.ts";
import { MalformedImage } from "./refusals.ts";
import type { Source } from "./source.ts";

/**
 * The length of the GIF header: "GIF89a", then the logical screen descriptor with size, flags, background and
 * aspect ratio.
 */
const HEADER_LENGTH = 13;
const DESCRIPTOR_LENGTH = 10;
const CONTROL_LENGTH = 8;
/** The length of the beginning of an extension: its introducer, its label and the size of its first block. */
const EXTENSION_HEADER = 3;
const APPLICATION_LENGTH = 11;
/** The length of the data block of a loop extension: its size, a one, and the number of loops. */
const LOOP_LENGTH = 4;

const MAX_BLOCK = 255;

const EXTENSION = 0x21;
const IMAGE = 0x2c;
const TRAILER = 0x3b;
const PLAIN_TEXT = 0x01;
const CONTROL = 0xf9;
const APPLICATION = 0xff;

/**
 * Keeps the images of a GIF, their control extensions, plain text extensions (part of the picture), the loop count
 * and the ICC profile. Removes comments, XMP, every other extension, and bytes after the end. Adds a missing trailer.
 * @throws MalformedImage
 */
export function cleanGif(source: Source): CleanedImage {
  const output = new Output(source.bytes);
  let size = { width: source.uint16(6, true), height: source.uint16(8, true) };
  let images = 0;
  /** Whether a control extension waits for its image. */
  let isControlled = false;
  let at = HEADER_LENGTH + lengthOfColours(source.byte(10));
  source.reachTo(at);
  output.keep(0, at);

  for (;;) {
    const start = at;
    // Decoders do not need the trailer; some writers omit it.
    const hasEnded = start === source.length && images > 0 && !isControlled;
    const kind = hasEnded ? TRAILER : source.byte(start);
    if (kind === TRAILER) {
      if (images === 0) throw new MalformedImage("it holds no image");
      if (size.width === 0 || size.height === 0) throw new MalformedImage("its size is zero");
      output.put(Uint8Array.of(TRAILER));
      return { bytes: output.bytes(), ...size };
    }
    if (kind === IMAGE) {
      at = endOfImage(source, start);
      // A logical screen of size zero gets the size of the first image, as browsers do.
      if (images === 0 && (size.width === 0 || size.height === 0))
        size = { width: source.uint16(start + 5, true), height: source.uint16(start + 7, true) };
      images += 1;
      isControlled = false;
      output.keep(start, at);
    } else if (kind === EXTENSION) {
      at = endOfBlocks(source, start + 2);
      const label = source.byte(start + 1);
      if (label === CONTROL || label === PLAIN_TEXT) isControlled = label === CONTROL;
      keepExtension(source, start, at, output);
    } else if (kind === 0) {
      // Skips a superfluous block terminator, as decoders do.
      at = start + 1;
    } else {
      throw new MalformedImage("a block is not known");
    }
  }
}

function endOfImage(source: Source, start: number): number {
  const coded = start + DESCRIPTOR_LENGTH + lengthOfColours(source.byte(start + 9));
  // Codes are at most 12 bits long, and their initial length is one bit more than the minimum code size.
  if (source.byte(coded) > 11) throw new MalformedImage("its codes are too long");
  return endOfBlocks(source, coded + 1);
}

/** Returns the length of a colour table in bytes, computed from its flags. */
const lengthOfColours = (flags: number) => (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0);

/**
 * Returns the position after a sequence of sub-blocks. Each sub-block starts with its size; size zero ends the
 * sequence.
 */
function endOfBlocks(source: Source, start: number): number {
  let at = start;
  for (let size = source.byte(at); size !== 0; size = source.byte(at)) at += 1 + size;
  return at + 1;
}

function keepExtension(source: Source, start: number, end: number, output: Output): void {
  const label = source.byte(start + 1);
  if (label === PLAIN_TEXT) output.keep(start, end);
  if (label === CONTROL) {
    if (end - start !== CONTROL_LENGTH || source.byte(start + 2) !== CONTROL_LENGTH - 4)
      throw new MalformedImage("a graphic control has a wrong length");
    output.keep(start, end);
  }
  if (label === APPLICATION && source.byte(start + 2) === APPLICATION_LENGTH) {
    const application = source.text(start + EXTENSION_HEADER, APPLICATION_LENGTH);
    if (application === "ICCRGBG1012") keepProfile(source, start, end, output);
    if (application === "NETSCAPE2.0" || application === "ANIMEXTS1.0") keepLoop(source, start, output);
  }
}

function keepProfile(source: Source, start: number, end: number, output: Output): void {
  const blocks = start + EXTENSION_HEADER + APPLICATION_LENGTH;
  const profile = withoutSizes(source, blocks, end - 1);
  const cleaned = cleanProfile(profile);
  if (cleaned === null) return;
  if (cleaned === profile) {
    output.keep(start, end);
    return;
  }
  output.keep(start, blocks);
  for (let at = 0; at < cleaned.length; at += MAX_BLOCK) {
    const part = cleaned.subarray(at, at + MAX_BLOCK);
    output.put(Uint8Array.of(part.length, ...part));
  }
  output.put(new Uint8Array(1));
}

/** Returns the data of the sub-blocks between two positions. */
function withoutSizes(source: Source, start: number, end: number): Uint8Array {
  const data = new Uint8Array(end - start);
  let length = 0;
  for (let at = start; at < end; ) {
    const next = at + 1 + source.byte(at);
    data.set(source.bytes.subarray(at + 1, next), length);
    length += next - at - 1;
    at = next;
  }
  return data.subarray(0, length);
}

/** Keeps only the sub-block with the loop count, which is required. */
function keepLoop(source: Source, start: number, output: Output): void {
  const blocks = start + EXTENSION_HEADER + APPLICATION_LENGTH;
  if (source.byte(blocks) !== LOOP_LENGTH - 1 || (source.byte(blocks + 1) & 7) !== 1) return;
  output.keep(start, blocks + LOOP_LENGTH);
  output.put(new Uint8Array(1));
}
