import { crc32 } from "node:zlib";
import { iccProfile, iccp, P3_TAGS, PRIVATE_TAGS } from "./icc.ts";
import * as images from "./images.ts";

/** Returns pseudo-random integers from 0 to `bound` (exclusive); reproducible by the seed. */
export type Random = (bound: number) => number;

/** Creates a pseudo-random number generator (Mulberry32). */
export function randomOf(seed: number): Random {
  let state = seed;
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((((mixed ^ (mixed >>> 14)) >>> 0) * bound) / 2 ** 32) | 0;
  };
}

const { joined, segment, APP, COM, chunk, riffChunk, extension } = images;
const lossless = riffChunk("VP8L", images.LOSSLESS);
const lossy = riffChunk("VP8 ", images.LOSSY);
const alpha = riffChunk("ALPH", images.ALPHA);
const exif = images.exif("II", [
  [0x010f, 1],
  [0x0112, 6],
]);
const profile = iccProfile([...P3_TAGS.slice(0, 6), ...PRIVATE_TAGS.slice(0, 2)]);
const loop = extension(0xff, "NETSCAPE2.0", [1, 0, 0]);

/** Images of each format: a minimal one, and one with every kind of part. */
export const SEEDS: Record<"jpeg" | "png" | "webp" | "gif", Uint8Array[]> = {
  jpeg: [
    images.jpegWith(),
    images.jpegWith({
      header: [
        ...[segment(APP(0), "JFIF\0", [1, 2, 1, 0, 72, 0, 72, 1, 1, 9, 9, 9]), segment(APP(1), exif)],
        ...[
          segment(APP(1), "http://ns.adobe.com/xap/1.0/\0xmp"),
          segment(APP(2), "ICC_PROFILE\0", [2, 2], profile.subarray(200)),
          segment(APP(2), "ICC_PROFILE\0", [1, 2], profile.subarray(0, 200)),
        ],
        ...[segment(APP(2), "MPF\0", [1]), segment(APP(14), "Adobe", [0, 100, 0, 0, 0, 0, 1]), [0xff, 0xff]],
      ],
      betweenScans: [segment(0xdc, [0, 8]), segment(COM, "text"), segment(0xdd, [0, 1])],
      height: 0,
      trailing: "trailing",
    }),
  ],
  png: [
    images.pngWith(),
    images.pngWith({
      afterHeader: [
        ...[chunk("gAMA", images.uint32(45455)), iccp(profile), chunk("tEXt", "Author\0Grace")],
        ...[chunk("acTL", new Uint8Array(8)), chunk("PLTE", [1, 2, 3]), chunk("eXIf", exif.subarray(6))],
      ],
      afterPixels: [
        chunk("fcTL", new Uint8Array(26)),
        chunk("fdAT", [0, 0, 0, 1, 2]),
        chunk("tIME", new Uint8Array(7)),
      ],
      trailing: "trailing",
    }),
  ],
  webp: [
    images.webpOf(lossless),
    images.webpOf(lossy, riffChunk("EXIF", exif)),
    images.webpOf(
      images.vp8x(0x3c),
      riffChunk("ICCP", profile),
      alpha,
      lossy,
      riffChunk("EXIF", exif),
      riffChunk("XMP ", "x"),
    ),
    joined(
      images.webpOf(
        ...[images.vp8x(0x0e), images.animation, images.webpFrame(alpha, riffChunk("note", "abc"), lossy)],
        ...[riffChunk("note", "x"), images.webpFrame(lossless), riffChunk("XMP ", "xyz")],
      ),
      "trailing",
    ),
  ],
  gif: [
    images.gifWith(),
    images.gifWith({
      extensions: [
        ...[
          loop,
          extension(0xfe, "comment"),
          extension(0xff, "XMP DataXMP", "xmp"),
          extension(0xf9, [0, 9, 0, 0]),
        ],
        ...[
          images.GIF_IMAGE,
          extension(
            0xff,
            "ICCRGBG1012",
            profile.subarray(0, 255),
            profile.subarray(255, 510),
            profile.subarray(510),
          ),
          extension(0x01, new Uint8Array(12), "text"),
        ],
      ],
      trailing: "trailing",
    }),
  ],
};

/** Boundary values of lengths and codes. */
const EDGES = [0, 1, 2, 3, 7, 8, 0x0e, 0x10, 0x20, 0x3b, 0x7f, 0x80, 0xd9, 0xda, 0xe1, 0xfe, 0xff];

/** Returns an image with one to eight mutations of bytes, lengths and whole parts, its own or those of another image. */
export function mutated(images: Uint8Array[], random: Random): Uint8Array {
  let bytes: Uint8Array = Uint8Array.from(images[random(images.length)] ?? []);
  for (let change = random(1 + random(8)); change >= 0; change -= 1) bytes = changed(bytes, images, random);
  return random(2) === 0 ? withChecksums(bytes) : bytes;
}

function changed(bytes: Uint8Array, images: Uint8Array[], random: Random): Uint8Array {
  const at = random(bytes.length + 1);
  const length = random(random(4) === 0 ? bytes.length + 1 : 16);
  const edge = EDGES[random(EDGES.length)] ?? 0;
  switch (random(9)) {
    case 0:
      return bytes.fill(random(256), at, at + 1);
    case 1:
      return bytes.fill(edge, at, at + 1);
    case 2:
      return bytes.fill(edge, at, at + 2 + random(3));
    case 3:
      return joined(bytes.subarray(0, at), bytes.subarray(at + length));
    case 4:
      return joined(bytes.subarray(0, at + length), bytes.subarray(at));
    case 5:
      return joined(
        bytes.subarray(0, at),
        new Uint8Array(length).map(() => random(256)),
        bytes.subarray(at),
      );
    case 6: {
      const other = images[random(images.length)] ?? bytes;
      const from = random(other.length + 1);
      return joined(bytes.subarray(0, at), other.subarray(from, from + length), bytes.subarray(at));
    }
    case 7:
      return bytes.fill((bytes[at] ?? 0) ^ (1 << random(8)), at, at + 1);
    default:
      return random(4) === 0
        ? bytes.subarray(0, at)
        : bytes.fill((bytes[at] ?? 0) + (random(2) ? 1 : -1), at, at + 1);
  }
}

/** Corrects the checksums of a PNG. Otherwise almost every mutated PNG would be refused at its first wrong checksum. */
function withChecksums(bytes: Uint8Array): Uint8Array {
  if (bytes[1] !== 0x50 || bytes[2] !== 0x4e) return bytes;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 8; at + 12 <= bytes.length; ) {
    const end = at + 12 + view.getUint32(at);
    if (end > bytes.length) break;
    view.setUint32(end - 4, crc32(bytes.subarray(at + 4, end - 4)));
    at = end;
  }
  return bytes;
}

/** Returns an image of about this size, followed by parts of itself and random bytes. */
export function enlarged(image: Uint8Array, size: number, random: Random): Uint8Array {
  const parts: Uint8Array[] = [image];
  for (let length = image.length; length < size; ) {
    const from = random(image.length);
    const part =
      random(2) === 0
        ? image.subarray(from, from + 1 + random(64))
        : new Uint8Array(random(2_000)).map(() => random(256));
    parts.push(part);
    length += part.length;
  }
  return joined(...parts);
}
