import { expect, test } from "bun:test";
import { cleaned, hex } from "../../support/cleaning.ts";
import { type Random, randomOf } from "../../support/image-mutations.ts";
import {
  ALPHA,
  APP,
  animation,
  COM,
  chunk,
  DHT,
  DRI,
  exif,
  extension,
  GIF_IMAGE,
  gifWith,
  joined,
  jpegWith,
  LOSSLESS,
  LOSSY,
  pngWith,
  riffChunk,
  segment,
  uint32,
  vp8x,
  WEBP_FLAGS,
  webpFrame,
  webpOf,
} from "../../support/images.ts";
import { ROUNDS } from "../../support/race.ts";

/*
 * Images composed at random of parts that cleaning keeps and parts that it removes. Exactly the parts to keep must
 * remain, in their order.
 */
type Parts = { stay: Uint8Array[]; go: Uint8Array[] };

const turned = exif("II", [[0x0112, 3]]);
const JPEG: Parts = {
  stay: [segment(DRI, [0, 2]), segment(DHT)],
  go: [
    segment(COM, "text"),
    segment(APP(2), "MPF\0"),
    segment(APP(2), "ICC_PROFILE\0", [1, 1], "no profile"),
    segment(APP(0), "JFXX\0"),
    segment(APP(13), "8BIM"),
    joined([0xff]),
  ],
};
const PNG: Parts = {
  stay: [chunk("fcTL", new Uint8Array(26)), chunk("fdAT", uint32(1)), chunk("acTL", new Uint8Array(8))],
  go: [
    chunk("tEXt", "a\0b"),
    // With the name of Exif in JPEG, so no decoder reads it.
    chunk("eXIf", turned),
    chunk("tIME", [1], 0),
    chunk("zzZz"),
    chunk("iTXt", "xmp"),
  ],
};
const lossless = riffChunk("VP8L", LOSSLESS);
const WEBP: Parts = {
  stay: [webpFrame(lossless), webpFrame(riffChunk("ALPH", ALPHA), riffChunk("VP8 ", LOSSY))],
  go: [riffChunk("EXIF", turned), riffChunk("XMP ", "odd"), riffChunk("note")],
};
const GIF: Parts = {
  stay: [joined(GIF_IMAGE), extension(0xf9, [0, 1, 0, 0]), extension(0xff, "NETSCAPE2.0", [1, 0, 0])],
  go: [extension(0xfe, "text"), extension(0xff, "XMP DataXMP", "xmp"), extension(0x77), joined([0])],
};

const build: Record<string, { parts: Parts; image: (one: Uint8Array[], other: Uint8Array[]) => Uint8Array }> =
  {
    jpeg: { parts: JPEG, image: (header, betweenScans) => jpegWith({ header, betweenScans }) },
    png: { parts: PNG, image: (afterHeader, afterPixels) => pngWith({ afterHeader, afterPixels }) },
    webp: {
      parts: WEBP,
      image: (one, other) =>
        webpOf(vp8x(WEBP_FLAGS.animation), animation, webpFrame(lossless), ...one, ...other),
    },
    gif: { parts: GIF, image: (one, other) => gifWith({ extensions: [...one, ...other] }) },
  };

for (const [format, { parts, image }] of Object.entries(build)) {
  test(`cleaning a ${format} of random parts keeps exactly the image data, in order`, () => {
    for (let seed = 0; seed < ROUNDS * 20; seed += 1) {
      const random = randomOf(seed);
      const [one, other] = [mixture(parts, random), mixture(parts, random)];
      const isKept = (part: Uint8Array) => parts.stay.includes(part);
      expect(cleaned(image(one, other)), `seed ${seed}`).toBe(
        hex(image(one.filter(isKept), other.filter(isKept))),
      );
    }
  });
}

const mixture = ({ stay, go }: Parts, random: Random): Uint8Array[] =>
  Array.from({ length: random(9) }, () => [...stay, ...go][random(stay.length + go.length)] ?? joined());
