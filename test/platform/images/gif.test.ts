import { describe, expect, test } from "bun:test";
import { cleanImage } from "#src/platform/images/clean";
import { cleaned, expectMalformed, hex } from "../../support/cleaning.ts";
import { extension, GIF_IMAGE, gifWith, joined } from "../../support/images.ts";

const clean = gifWith();
const loop = extension(0xff, "NETSCAPE2.0", [1, 5, 0]);
const control = extension(0xf9, [0, 10, 0, 0]);
const comment = extension(0xfe, "taken by Grace", "in Athens");

/** XMP stands in a GIF as it is, and a trailer leads readers of blocks out of it wherever they land. */
const xmp = joined(
  [0x21, 0xff, 11],
  "XMP DataXMP<x:xmpmeta>Grace</x:xmpmeta>",
  [1],
  Uint8Array.from({ length: 256 }, (_, index) => 255 - index),
  [0],
);

test("an image without metadata is returned byte for byte", () => {
  const image = cleanImage(clean);
  expect(image.bytes).toBe(clean);
  expect(image).toMatchObject({ contentType: "image/gif", extension: "gif", width: 1, height: 1 });
});

describe("kept are", () => {
  const kept: [string, Uint8Array[]][] = [
    ["how often it loops", [loop]],
    ["how often it loops, under its other name", [extension(0xff, "ANIMEXTS1.0", [1, 0, 0])]],
    [
      "the ICC profile, in as many blocks as it takes",
      [extension(0xff, "ICCRGBG1012", new Uint8Array(255).fill(7), "end")],
    ],
    ["what controls an image", [control]],
    ["text that is a part of the picture", [control, extension(0x01, new Uint8Array(12), "drawn")]],
    [
      "other images, with colours of their own",
      [joined([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0x80, 1, 2, 3, 4, 5, 6, 2, 2, 0x44, 1, 0])],
    ],
  ];
  for (const [name, extensions] of kept) {
    test(name, () => {
      const image = gifWith({ extensions });
      expect(cleanImage(image).bytes).toBe(image);
    });
  }

  test("an image of 1987, and one without a colour table", () => {
    const old = joined("GIF87a", clean.subarray(6));
    expect(cleanImage(old).bytes).toBe(old);
    const bare = joined(clean.subarray(0, 10), [0, 0, 0], GIF_IMAGE, [0x3b]);
    expect(cleanImage(bare).bytes).toBe(bare);
  });
});

describe("removed are", () => {
  const gone: [string, Uint8Array][] = [
    ["a comment", comment],
    ["an empty comment", extension(0xfe)],
    ["XMP", xmp],
    ["the data of another application", extension(0xff, "ImageMagick", "gamma=0.45455")],
    ["an application that only begins like a loop", extension(0xff, "NETSCAPE2.1", [1, 0, 0])],
    ["a loop extension that says something else", extension(0xff, "NETSCAPE2.0", "taken by Grace")],
    ["a loop extension that says nothing", extension(0xff, "NETSCAPE2.0")],
    ["a loop extension of which only the length is right", extension(0xff, "NETSCAPE2.0", [2, 0, 0])],
    ["an application whose name only begins like the profile's", extension(0xff, "ICCRGBG1012 text", "text")],
    ["an application without a name", extension(0xff)],
    ["an application whose name is in two blocks", extension(0xff, "NETSCAPE", "2.0", [1, 0, 0])],
    ["an extension that nobody knows", extension(0x42, "anything")],
    ["a superfluous end of blocks", joined([0])],
  ];
  for (const [name, part] of gone) {
    test(`${name}, also between an image and what controls it`, () => {
      expect(cleaned(gifWith({ extensions: [part, loop, part, control, part] }))).toBe(
        hex(gifWith({ extensions: [loop, control] })),
      );
    });
  }

  test("everything else in a loop extension", () => {
    const more = extension(0xff, "NETSCAPE2.0", [1, 5, 0], [2, 0, 0, 0, 1], "taken by Grace");
    expect(cleaned(gifWith({ extensions: [more] }))).toBe(hex(gifWith({ extensions: [loop] })));
  });

  test("everything after the end", () => {
    expect(cleaned(gifWith({ trailing: "text" }))).toBe(hex(clean));
    expect(cleaned(gifWith({ trailing: clean }))).toBe(hex(clean));
  });
});

test("a screen without a size is as large as the first image", () => {
  expect(cleanImage(gifWith({ screen: [0, 0] }))).toMatchObject({ width: 1, height: 1 });
  expect(cleanImage(gifWith({ screen: [640, 480] }))).toMatchObject({ width: 640, height: 480 });
});

describe("malformed is", () => {
  test("a file that is cut off anywhere", () => {
    const image = gifWith({ extensions: [loop, comment, control] });
    for (let length = 6; length < image.length; length += 1) {
      expectMalformed(image.subarray(0, length), "ends too early");
    }
  });

  const broken: [string, Uint8Array, string][] = [
    ["no image", joined(clean.subarray(0, 19), [0x3b]), "no image"],
    ["a block that nobody knows", gifWith({ extensions: ["hidden"] }), "block is not known"],
    [
      "a graphic control with more in it",
      gifWith({ extensions: [extension(0xf9, [0, 10, 0, 0], "text")] }),
      "wrong length",
    ],
    [
      "a graphic control of another length",
      gifWith({ extensions: [extension(0xf9, [0, 10, 0])] }),
      "wrong length",
    ],
    ["a graphic control of nothing", gifWith({ extensions: [extension(0xf9)] }), "wrong length"],
    [
      "a graphic control in two blocks",
      gifWith({ extensions: [extension(0xf9, [0], [1, 2])] }),
      "wrong length",
    ],
    [
      "codes of more than 12 bits",
      joined(clean.subarray(0, -6), [12, 1, 0x44, 0, 0x3b]),
      "codes are too long",
    ],
    [
      "neither a screen nor an image of any size",
      joined(gifWith({ screen: [0, 0] }).subarray(0, 24), new Uint8Array(4), clean.subarray(28)),
      "size is zero",
    ],
  ];
  for (const [name, image, reason] of broken) test(name, () => expectMalformed(image, reason));
});
