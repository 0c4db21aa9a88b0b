import { describe, expect, test } from "bun:test";
import { cleanImage } from "#src/platform/images/clean";
import { cleaned, expectMalformed, hex } from "../../support/cleaning.ts";
import { PROFILE } from "../../support/icc.ts";
import { extension, GIF_IMAGE, gifWith, joined } from "../../support/images.ts";

const clean = gifWith();
const loop = extension(0xff, "NETSCAPE2.0", [1, 5, 0]);
const control = extension(0xf9, [0, 10, 0, 0]);
const comment = extension(0xfe, "taken by Grace", "in Athens");

/** XMP metadata in a GIF is not split into sub-blocks. The trailer after it leads a reader of sub-blocks to the end of the XMP from any byte in it. */
const xmp = joined(
  [0x21, 0xff, 11],
  "XMP DataXMP<x:xmpmeta>Grace</x:xmpmeta>",
  [1],
  Uint8Array.from({ length: 256 }, (_, index) => 255 - index),
  [0],
);

test("a GIF without metadata is returned byte for byte", () => {
  const image = cleanImage(clean);
  expect(image.bytes).toBe(clean);
  expect(image).toMatchObject({ contentType: "image/gif", extension: "gif", width: 1, height: 1 });
});

describe("cleaning a GIF keeps", () => {
  const kept: [string, Uint8Array[]][] = [
    ["the number of loops", [loop]],
    ["the number of loops in an ANIMEXTS1.0 extension", [extension(0xff, "ANIMEXTS1.0", [1, 0, 0])]],
    [
      "an ICC profile of several blocks",
      [extension(0xff, "ICCRGBG1012", PROFILE.subarray(0, 255), PROFILE.subarray(255))],
    ],
    ["a graphic control extension", [control]],
    [
      "a plain text extension, which is part of the picture",
      [control, extension(0x01, new Uint8Array(12), "drawn")],
    ],
    [
      "further images with their own colour tables",
      [joined([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0x80, 1, 2, 3, 4, 5, 6, 2, 2, 0x44, 1, 0])],
    ],
  ];
  for (const [name, extensions] of kept) {
    test(name, () => {
      const image = gifWith({ extensions });
      expect(cleanImage(image).bytes).toBe(image);
    });
  }

  test("a GIF87a image, and one without a colour table", () => {
    const old = joined("GIF87a", clean.subarray(6));
    expect(cleanImage(old).bytes).toBe(old);
    const bare = joined(clean.subarray(0, 10), [0, 0, 0], GIF_IMAGE, [0x3b]);
    expect(cleanImage(bare).bytes).toBe(bare);
  });
});

describe("cleaning a GIF removes", () => {
  const gone: [string, Uint8Array][] = [
    ["a comment", comment],
    ["an empty comment", extension(0xfe)],
    ["what is named an ICC profile and is none", extension(0xff, "ICCRGBG1012", "taken by Grace")],
    ["XMP", xmp],
    ["the extension of another application", extension(0xff, "ImageMagick", "gamma=0.45455")],
    [
      "an application extension whose name only starts like a loop's",
      extension(0xff, "NETSCAPE2.1", [1, 0, 0]),
    ],
    ["a loop extension with other content", extension(0xff, "NETSCAPE2.0", "taken by Grace")],
    ["a loop extension without content", extension(0xff, "NETSCAPE2.0")],
    [
      "a loop extension of the right length with another sub-block",
      extension(0xff, "NETSCAPE2.0", [2, 0, 0]),
    ],
    [
      "an application extension whose name only starts like an ICC profile's",
      extension(0xff, "ICCRGBG1012 text", "text"),
    ],
    ["an application extension without a name", extension(0xff)],
    [
      "an application extension whose name is split into two blocks",
      extension(0xff, "NETSCAPE", "2.0", [1, 0, 0]),
    ],
    ["an unknown extension", extension(0x42, "anything")],
    ["a superfluous block terminator", joined([0])],
  ];
  for (const [name, part] of gone) {
    test(`${name}, also between an image and its graphic control extension`, () => {
      expect(cleaned(gifWith({ extensions: [part, loop, part, control, part] }))).toBe(
        hex(gifWith({ extensions: [loop, control] })),
      );
    });
  }

  test("all other data in a loop extension", () => {
    const more = extension(0xff, "NETSCAPE2.0", [1, 5, 0], [2, 0, 0, 0, 1], "taken by Grace");
    expect(cleaned(gifWith({ extensions: [more] }))).toBe(hex(gifWith({ extensions: [loop] })));
  });

  test("everything after the trailer", () => {
    expect(cleaned(gifWith({ trailing: "text" }))).toBe(hex(clean));
    expect(cleaned(gifWith({ trailing: clean }))).toBe(hex(clean));
  });
});

test("a GIF that ends after a whole image gets its missing trailer", () => {
  expect(cleaned(clean.subarray(0, -1))).toBe(hex(clean));
  const frames = gifWith({ extensions: [loop, control, GIF_IMAGE, control] });
  expect(cleaned(frames.subarray(0, -1))).toBe(hex(frames));
  for (const removed of [[0], comment, joined(comment, [0], xmp)])
    expect(cleaned(joined(clean.subarray(0, -1), removed))).toBe(hex(clean));
  const drawn = joined(clean.subarray(0, -1), control, extension(0x01, new Uint8Array(12), "drawn"));
  expect(cleaned(drawn)).toBe(hex(joined(drawn, [0x3b])));
});

test("a GIF whose logical screen has no size is as large as its first image", () => {
  expect(cleanImage(gifWith({ screen: [0, 0] }))).toMatchObject({ width: 1, height: 1 });
  expect(cleanImage(gifWith({ screen: [640, 480] }))).toMatchObject({ width: 640, height: 480 });
});

describe("a GIF is refused as malformed:", () => {
  test("a file that is truncated at any byte", () => {
    const image = gifWith({ extensions: [loop, comment, control] });
    for (let length = 6; length < image.length - 1; length += 1) {
      expectMalformed(image.subarray(0, length), "ends too early");
    }
  });

  test("a file that ends after a graphic control extension without its image", () => {
    for (const rest of [[control], [control, comment], [comment, control]])
      expectMalformed(joined(clean.subarray(0, -1), ...rest), "ends too early");
  });

  const broken: [string, Uint8Array, string][] = [
    ["no image", joined(clean.subarray(0, 19), [0x3b]), "no image"],
    ["an unknown block", gifWith({ extensions: ["hidden"] }), "block is not known"],
    [
      "a graphic control extension with extra data",
      gifWith({ extensions: [extension(0xf9, [0, 10, 0, 0], "text")] }),
      "wrong length",
    ],
    [
      "a graphic control extension of the wrong length",
      gifWith({ extensions: [extension(0xf9, [0, 10, 0])] }),
      "wrong length",
    ],
    ["an empty graphic control extension", gifWith({ extensions: [extension(0xf9)] }), "wrong length"],
    [
      "a graphic control extension of two blocks",
      gifWith({ extensions: [extension(0xf9, [0], [1, 2])] }),
      "wrong length",
    ],
    [
      "LZW codes of more than 12 bits",
      joined(clean.subarray(0, -6), [12, 1, 0x44, 0, 0x3b]),
      "codes are too long",
    ],
    [
      "neither the logical screen nor the image has a size",
      joined(gifWith({ screen: [0, 0] }).subarray(0, 24), new Uint8Array(4), clean.subarray(28)),
      "size is zero",
    ],
  ];
  for (const [name, image, reason] of broken) test(name, () => expectMalformed(image, reason));
});
