import { describe, expect, test } from "bun:test";
import { cleanImage } from "#src/platform/images/clean";
import { cleaned, expectMalformed, hex } from "../../support/cleaning.ts";
import { PROFILE } from "../../support/icc.ts";
import {
  ALPHA,
  animation,
  joined,
  LOSSLESS,
  LOSSY,
  littleEndian,
  riffChunk,
  vp8x,
  WEBP_FLAGS,
  webpFrame,
  webpOf,
} from "../../support/images.ts";

const lossless = riffChunk("VP8L", LOSSLESS);
const lossy = riffChunk("VP8 ", LOSSY);
const alpha = riffChunk("ALPH", ALPHA);
const profile = riffChunk("ICCP", PROFILE);
const exif = riffChunk("EXIF", "MM\0*");
const xmp = riffChunk("XMP ", "<x:xmpmeta/>");
const unknown = riffChunk("note", "taken by Grace");
const every = WEBP_FLAGS.profile | WEBP_FLAGS.alpha | WEBP_FLAGS.exif | WEBP_FLAGS.xmp;

const whole: [string, Uint8Array][] = [
  ["a lossless WebP", webpOf(lossless)],
  ["a lossy WebP", webpOf(lossy)],
  ["a WebP with transparency", webpOf(vp8x(WEBP_FLAGS.alpha), alpha, lossy)],
  ["a WebP with an ICC profile", webpOf(vp8x(WEBP_FLAGS.profile), profile, lossless)],
  ["a WebP with an extended header and no extended chunk", webpOf(vp8x(0), lossless)],
  [
    "an animated WebP",
    webpOf(
      vp8x(WEBP_FLAGS.animation | WEBP_FLAGS.profile),
      profile,
      animation,
      webpFrame(alpha, lossy),
      webpFrame(lossless),
    ),
  ],
];
for (const [name, image] of whole) {
  test(`without metadata, ${name} is returned byte for byte`, () => {
    const clean = cleanImage(image);
    expect(clean.bytes).toBe(image);
    expect(clean).toMatchObject({ contentType: "image/webp", extension: "webp", width: 1, height: 1 });
  });
}

test("the size of a WebP is read from its bitstream, or from its extended header", () => {
  const large = Uint8Array.from(LOSSY);
  large.set([0x34, 0xd2, 0x78, 0x16], 6); // the upper two bits of each dimension are a scaling factor
  expect(cleanImage(webpOf(riffChunk("VP8 ", large)))).toMatchObject({ width: 0x1234, height: 0x1678 });
  const wide = Uint8Array.from(LOSSLESS);
  wide.set([0xff, 0xff, 0xff, 0x0f], 1);
  expect(cleanImage(webpOf(riffChunk("VP8L", wide)))).toMatchObject({ width: 16384, height: 16384 });
  const canvas = riffChunk("VP8X", [0, 0, 0, 0, 0x01, 0x02, 0, 0x02, 0x01, 0]);
  expect(cleanImage(webpOf(canvas, lossless))).toMatchObject({ width: 0x202, height: 0x103 });
});

describe("cleaning a WebP removes", () => {
  test("Exif, XMP and unknown chunks, before, between and after the chunks that stay", () => {
    const image = webpOf(vp8x(every), unknown, profile, exif, alpha, unknown, lossy, xmp, exif, unknown);
    expect(cleaned(image)).toBe(
      hex(webpOf(vp8x(WEBP_FLAGS.profile | WEBP_FLAGS.alpha), profile, alpha, lossy)),
    );
  });

  test("unknown chunks within an animation frame, and adjusts the frame's size", () => {
    const frames = [
      webpFrame(unknown, alpha, exif, lossy, xmp),
      unknown,
      webpFrame(lossless, riffChunk("odd ", "abc")),
    ];
    expect(cleaned(webpOf(vp8x(WEBP_FLAGS.animation), animation, ...frames))).toBe(
      hex(webpOf(vp8x(WEBP_FLAGS.animation), animation, webpFrame(alpha, lossy), webpFrame(lossless))),
    );
  });

  test("everything after the bitstream of a simple image", () => {
    expect(cleaned(webpOf(lossless, exif, xmp, unknown, lossy))).toBe(hex(webpOf(lossless)));
    expect(cleaned(webpOf(lossy, "junk"))).toBe(hex(webpOf(lossy)));
  });

  test("everything after the end of the RIFF chunk", () => {
    expect(cleaned(joined(webpOf(lossless), "text"))).toBe(hex(webpOf(lossless)));
    expect(cleaned(joined(webpOf(vp8x(0), lossless), exif))).toBe(hex(webpOf(vp8x(0), lossless)));
  });

  test("a second ICC profile and a second animation header, because readers use the first", () => {
    const image = webpOf(vp8x(WEBP_FLAGS.profile), profile, riffChunk("ICCP", "other!"), lossless);
    expect(cleaned(image)).toBe(hex(webpOf(vp8x(WEBP_FLAGS.profile), profile, lossless)));
    const twice = webpOf(
      vp8x(WEBP_FLAGS.animation),
      animation,
      riffChunk("ANIM", "other!"),
      webpFrame(lossless),
    );
    expect(cleaned(twice)).toBe(hex(webpOf(vp8x(WEBP_FLAGS.animation), animation, webpFrame(lossless))));
  });

  test("animation and frames that the extended header does not declare", () => {
    expect(cleaned(webpOf(vp8x(0), animation, webpFrame(lossless), lossy))).toBe(hex(webpOf(vp8x(0), lossy)));
  });

  test("reserved bits and bytes in the extended header", () => {
    expect(cleaned(webpOf(vp8x(0xc1, 0x55), lossless))).toBe(hex(webpOf(vp8x(0), lossless)));
  });

  test("a padding byte that is not zero, and adds one that is missing at the end", () => {
    const padded = webpOf(lossless);
    expect(cleaned(webpOf(riffChunk("VP8L", LOSSLESS, 0x42)))).toBe(hex(padded));
    const short = padded.subarray(0, -1);
    expect(cleaned(joined("RIFF", littleEndian(short.length - 8, 4), short.subarray(8)))).toBe(hex(padded));
    expect(cleaned(joined("RIFF", littleEndian(short.length - 8, 4), short.subarray(8), "more"))).toBe(
      hex(padded),
    );
  });
});

describe("cleaning a WebP sets the flags of its extended header", () => {
  test("for a flag without a profile, and not for a profile without its flag, which decoders ignore", () => {
    expect(cleaned(webpOf(vp8x(0), profile, lossless))).toBe(hex(webpOf(vp8x(0), profile, lossless)));
    expect(cleaned(webpOf(vp8x(every), riffChunk("ICCP", "no profile"), lossless))).toBe(
      hex(webpOf(vp8x(WEBP_FLAGS.alpha), lossless)),
    );
    expect(cleaned(webpOf(vp8x(every), lossless))).toBe(hex(webpOf(vp8x(WEBP_FLAGS.alpha), lossless)));
  });
});

describe("a WebP is refused as malformed:", () => {
  test("a file that is truncated at any byte", () => {
    for (const [, image] of whole) {
      for (let length = 12; length < image.length; length += 1) {
        expectMalformed(image.subarray(0, length), "ends too early");
      }
    }
  });

  const animated = (...chunks: Uint8Array[]) => webpOf(vp8x(WEBP_FLAGS.animation), ...chunks);
  const changed = (bytes: Uint8Array, at: number, value: number) =>
    Uint8Array.from(bytes).fill(value, at, at + 1);
  const broken: [string, Uint8Array, string][] = [
    ["no chunk", webpOf(), "chunk is cut off"],
    ["another chunk before the image", webpOf(exif, lossless), "does not begin with an image"],
    [
      "a chunk longer than the file's declared length",
      webpOf("VP8L", [0xff, 0xff, 0xff, 0xff], LOSSLESS),
      "longer than what holds it",
    ],
    ["a chunk that ends after its name", webpOf(vp8x(0), lossless, "EXIF"), "chunk is cut off"],
    [
      "an unknown chunk longer than the file",
      webpOf(vp8x(0), lossless, "note", [9, 0, 0, 0]),
      "longer than what holds it",
    ],
    [
      "an extended header of the wrong length",
      webpOf(riffChunk("VP8X", new Uint8Array(12)), lossless),
      "header has a wrong length",
    ],
    [
      "a canvas of more than 2^32 pixels",
      webpOf(riffChunk("VP8X", [0, 0, 0, 0, ...new Uint8Array(6).fill(255)]), lossless),
      "size",
    ],
    ["an extended header and no image", webpOf(vp8x(0), profile), "no image"],
    ["transparency and no image", webpOf(vp8x(0), alpha), "no image"],
    ["two images", webpOf(vp8x(0), lossless, lossless), "VP8L is out of place"],
    ["two transparency chunks", webpOf(vp8x(0), alpha, alpha, lossy), "ALPH is out of place"],
    ["a transparency chunk after the image", webpOf(vp8x(0), lossy, alpha), "ALPH is out of place"],
    ["a transparency chunk with a lossless image", webpOf(vp8x(0), alpha, lossless), "VP8L is out of place"],
    ["an animation without frames", animated(animation), "no image"],
    ["frames without an animation header", animated(webpFrame(lossless)), "before the animation"],
    [
      "an animation header of the wrong length",
      animated(riffChunk("ANIM", "too long"), webpFrame(lossless)),
      "wrong length",
    ],
    ["an image outside of the frames", animated(animation, lossless), "outside the frames"],
    ["a frame without an image", animated(animation, webpFrame(alpha)), "frame holds no image"],
    ["a frame of two images", animated(animation, webpFrame(lossy, lossy)), "out of place"],
    [
      "a frame header that is too short",
      animated(animation, riffChunk("ANMF", new Uint8Array(15))),
      "too short",
    ],
    [
      "a chunk longer than its frame",
      animated(animation, webpFrame(joined("VP8L", [99, 0, 0, 0]))),
      "longer than what holds it",
    ],
    ["a lossy image that is no key frame", webpOf(riffChunk("VP8 ", changed(LOSSY, 0, 0xd1))), "not VP8"],
    ["a lossy image without its start code", webpOf(riffChunk("VP8 ", changed(LOSSY, 3, 0))), "not VP8"],
    ["a lossy image of width zero", webpOf(riffChunk("VP8 ", changed(LOSSY, 6, 0))), "size is zero"],
    [
      "a lossy image shorter than its first partition",
      webpOf(riffChunk("VP8 ", changed(LOSSY, 1, 9))),
      "cut off",
    ],
    ["a lossy image of nine bytes", webpOf(riffChunk("VP8 ", LOSSY.subarray(0, 9))), "cut off"],
    [
      "a lossless image without its signature",
      webpOf(riffChunk("VP8L", changed(LOSSLESS, 0, 0))),
      "not VP8L",
    ],
    [
      "a lossless image of another version",
      webpOf(riffChunk("VP8L", changed(LOSSLESS, 4, 0x30))),
      "not VP8L",
    ],
    ["a lossless image of four bytes", webpOf(riffChunk("VP8L", LOSSLESS.subarray(0, 4))), "cut off"],
  ];
  for (const [name, image, reason] of broken) test(name, () => expectMalformed(image, reason));
});
