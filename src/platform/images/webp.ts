import type { CleanedImage } from "./clean-image.ts";
import { cleanProfile } from "./icc.ts";
import { Output } from "./output.ts";
import { MalformedImage } from "./refusals.ts";
import type { Source } from "./source.ts";
import { sizeOfBitstream } from "./webp-bitstream.ts";

const RIFF_HEADER = 12;
const CHUNK_HEADER = 8;
const VP8X_LENGTH = 10;
const ANIM_LENGTH = 6;
/** The length of the fields of a frame before its chunks: position, size and duration. */
const ANMF_LENGTH = 16;

/** The bits of the VP8X header that describe the file's contents. The bits for Exif and XMP are always cleared. */
const ICC_FLAG = 0x20;
const ALPHA_FLAG = 0x10;
const ANIMATION_FLAG = 0x02;

type Chunk = { type: string; start: number; data: number; length: number; end: number };
type Picture = { hasAlpha: boolean; hasImage: boolean };

/**
 * Keeps the picture of a WebP file, its frames, transparency and ICC profile. Removes Exif, XMP and every unknown
 * chunk, also in frames, and bytes after the end. Corrects sizes and flags. No browser turns a WebP by an Orientation
 * in its Exif.
 * @throws MalformedImage
 */
export function cleanWebp(source: Source): CleanedImage {
  const end = 8 + source.uint32(4, true);
  source.reachTo(end);
  const output = new Output(source.bytes);
  output.keep(0, RIFF_HEADER);
  const first = readChunk(source, RIFF_HEADER, end);
  const clean = first.type === "VP8X" ? cleanExtended : cleanSimple;
  const size = clean(source, first, end, output);
  output.overwrite(4, uint32(output.length - 8));
  return { bytes: output.bytes(), ...size };
}

/** Removes the metadata of a WebP file that has a single bitstream, and all data after it, which decoders ignore. */
function cleanSimple(source: Source, chunk: Chunk, _end: number, output: Output) {
  const size = sizeOfBitstream(source, chunk.type, chunk.data, chunk.length);
  keepChunk(chunk, output);
  return size;
}

/**
 * Cleans a file with an extended header, which has flags and a size. Bitstreams are not parsed further than their
 * header.
 */
function cleanExtended(source: Source, header: Chunk, end: number, output: Output) {
  if (header.length !== VP8X_LENGTH) throw new MalformedImage("its header has a wrong length");
  const flags = source.byte(header.data);
  const width = 1 + source.uint24LittleEndian(header.data + 4);
  const height = 1 + source.uint24LittleEndian(header.data + 7);
  if (width * height > 0xffffffff) throw new MalformedImage("its size is out of range");
  const isAnimated = (flags & ANIMATION_FLAG) !== 0;
  const still: Picture = { hasAlpha: false, hasImage: false };
  let hasMetProfile = false;
  let hasProfile = false;
  let hasAnimation = false;
  let frames = 0;

  keepChunk(header, output);
  for (let at = header.end; at < end; ) {
    const chunk = readChunk(source, at, end);
    at = chunk.end;
    if (chunk.type === "ICCP" && !hasMetProfile) {
      hasMetProfile = true;
      hasProfile = keepProfile(source, chunk, output);
    } else if (chunk.type === "ANIM" && isAnimated && !hasAnimation) {
      if (chunk.length !== ANIM_LENGTH) throw new MalformedImage("its animation has a wrong length");
      hasAnimation = true;
      keepChunk(chunk, output);
    } else if (chunk.type === "ANMF" && isAnimated) {
      if (!hasAnimation) throw new MalformedImage("a frame comes before the animation");
      frames += 1;
      keepFrame(source, chunk, output);
    } else if (isOfPicture(chunk)) {
      if (isAnimated) throw new MalformedImage("an image stands outside the frames");
      keepPart(chunk, still, output);
    }
  }
  if (isAnimated ? frames === 0 : !still.hasImage) throw new MalformedImage("it holds no image");

  // Decoders ignore a profile without its flag, so the flag is not added: the colours would change.
  const kept = flags & (ALPHA_FLAG | ANIMATION_FLAG | (hasProfile ? ICC_FLAG : 0));
  output.overwrite(RIFF_HEADER + CHUNK_HEADER, Uint8Array.of(kept, 0, 0, 0));
  return { width, height };
}

function keepFrame(source: Source, { start, data, length }: Chunk, output: Output): void {
  if (length < ANMF_LENGTH) throw new MalformedImage("a frame is too short");
  const frame: Picture = { hasAlpha: false, hasImage: false };
  const end = data + length;
  output.keep(start, data + ANMF_LENGTH);
  const contents = output.length - ANMF_LENGTH;
  for (let at = data + ANMF_LENGTH; at < end; ) {
    const chunk = readChunk(source, at, end);
    at = chunk.end;
    if (isOfPicture(chunk)) keepPart(chunk, frame, output);
  }
  if (!frame.hasImage) throw new MalformedImage("a frame holds no image");
  output.overwrite(contents - 4, uint32(output.length - contents));
}

/** Keeps a cleaned ICC profile. Returns false if the chunk holds none. */
function keepProfile(source: Source, chunk: Chunk, output: Output): boolean {
  const profile = source.bytes.subarray(chunk.data, chunk.data + chunk.length);
  const cleaned = cleanProfile(profile);
  if (cleaned === profile) keepChunk(chunk, output);
  else if (cleaned !== null) {
    output.keep(chunk.start, chunk.start + 4);
    output.put(uint32(cleaned.length));
    output.put(cleaned);
  }
  return cleaned !== null;
}

const isOfPicture = ({ type }: Chunk) => type === "ALPH" || type === "VP8 " || type === "VP8L";

/** Keeps a part of a picture: one bitstream. The transparency of a lossy one is in a separate chunk before it. */
function keepPart(chunk: Chunk, picture: Picture, output: Output): void {
  if (picture.hasImage || (picture.hasAlpha && chunk.type !== "VP8 "))
    throw new MalformedImage(`${chunk.type.trim()} is out of place`);
  if (chunk.type === "ALPH") picture.hasAlpha = true;
  else picture.hasImage = true;
  keepChunk(chunk, output);
}

/** Keeps a chunk, padded with a zero to an even length. Many writers omit the zero at the end of the file. */
function keepChunk({ start, data, length }: Chunk, output: Output): void {
  output.keep(start, data + length);
  if (length % 2 === 1) output.put(new Uint8Array(1));
}

function readChunk(source: Source, start: number, limit: number): Chunk {
  const data = start + CHUNK_HEADER;
  if (data > limit) throw new MalformedImage("a chunk is cut off");
  const length = source.uint32(start + 4, true);
  if (data + length > limit) throw new MalformedImage("a chunk is longer than what holds it");
  return { type: source.text(start, 4), start, data, length, end: data + length + (length % 2) };
}

function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}
