import { describe, expect, test } from "bun:test";
import { deflateSync } from "node:zlib";
import { cleanImage } from "#src/platform/images/clean";
import { cleaned, expectMalformed, hex } from "../../support/cleaning.ts";
import { iccProfile, iccp, P3_TAGS, PRIVATE_TAGS, PROFILE } from "../../support/icc.ts";
import {
  chunk,
  exif,
  joined,
  PNG_HEADER,
  PNG_PIXELS,
  PNG_SIGNATURE,
  pngWith,
  uint32,
} from "../../support/images.ts";

const clean = pngWith();

test("a PNG without metadata is returned byte for byte", () => {
  const image = cleanImage(clean);
  expect(image.bytes).toBe(clean);
  expect(image).toMatchObject({ contentType: "image/png", extension: "png", width: 1, height: 2 });
});

test("cleaning a PNG keeps the chunks of its pixels and colours, in order", () => {
  const before = [
    ...[
      chunk("acTL", [...uint32(1), ...uint32(0)]),
      chunk("gAMA", uint32(45455)),
      chunk("cHRM", new Uint8Array(32)),
    ],
    ...[chunk("sRGB", [0]), iccp(PROFILE, "a profile's name"), chunk("sBIT", [8, 8, 8])],
    ...[chunk("cICP", [9, 16, 0, 1]), chunk("mDCV", new Uint8Array(24)), chunk("cLLI", new Uint8Array(8))],
    ...[chunk("PLTE", [1, 2, 3]), chunk("bKGD", [0, 0, 0, 0, 0, 0]), chunk("hIST", [0, 1])],
    ...[
      chunk("tRNS", [0, 1, 0, 2, 0, 3]),
      chunk("pHYs", new Uint8Array(9)),
      chunk("fcTL", new Uint8Array(26)),
    ],
  ];
  const after = [chunk("fcTL", new Uint8Array(26)), chunk("fdAT", [0, 0, 0, 2]), chunk("fdAT", [0, 0, 0, 3])];
  const image = pngWith({ afterHeader: before, afterPixels: after });
  expect(cleanImage(image).bytes).toBe(image);
});

describe("cleaning a PNG removes", () => {
  const gone: [string, Uint8Array][] = [
    ["text", chunk("tEXt", "Author\0Grace")],
    ["compressed text", chunk("zTXt", "Author\0\0xyz")],
    ["international text, including XMP", chunk("iTXt", "XML:com.adobe.xmp\0\0\0\0\0<x:xmpmeta/>")],
    ["Exif without an Orientation", chunk("eXIf", "MM\0*")],
    ["what is named an ICC profile and is none", chunk("iCCP", "by Grace\0\0deflated")],
    ["the modification time", chunk("tIME", [7, 230, 1, 1, 0, 0, 0])],
    ["suggested palettes, which have names as text", chunk("sPLT", "palette\0\x08")],
    ["a C2PA content credential", chunk("caBX", "jumb")],
    ["a private chunk", chunk("prVt", "anything")],
    ["an unknown critical chunk", chunk("ABCD", "anything")],
    ["the light level chunk of an older draft", chunk("cLLi", new Uint8Array(8))],
    ["a metadata chunk with a wrong checksum", chunk("tEXt", "Author\0Grace", 1)],
    ["an empty metadata chunk", chunk("tEXt")],
  ];
  for (const [name, part] of gone) {
    test(`${name}, before and after the pixels`, () => {
      expect(cleaned(pngWith({ afterHeader: [part, part], afterPixels: [part] }))).toBe(hex(clean));
    });
  }

  test("a metadata chunk between two IDAT chunks", () => {
    const halves = (between: Uint8Array) =>
      joined(
        ...[PNG_SIGNATURE, PNG_HEADER, chunk("IDAT", PNG_PIXELS.subarray(0, 5)), between],
        ...[chunk("IDAT", PNG_PIXELS.subarray(5)), chunk("IEND")],
      );
    expect(cleaned(halves(chunk("tEXt", "a\0b")))).toBe(hex(halves(new Uint8Array())));
  });

  test("the second of two chunks that may occur once, because decoders use the first", () => {
    const [first, second] = [chunk("gAMA", uint32(45455)), chunk("gAMA", uint32(1), 1)];
    expect(cleaned(pngWith({ afterHeader: [first, second] }))).toBe(hex(pngWith({ afterHeader: [first] })));
  });

  test("everything after IEND", () => {
    expect(cleaned(pngWith({ trailing: "text" }))).toBe(hex(clean));
    expect(cleaned(pngWith({ trailing: clean }))).toBe(hex(clean));
  });
});

const ORIENTATION = 0x0112;
const tiff = (order: "II" | "MM", ...entries: [number, number][]) => exif(order, entries).subarray(6);
const turned = (value: number) => chunk("eXIf", tiff("MM", [ORIENTATION, value]));

describe("the Orientation of a PNG", () => {
  for (const order of ["II", "MM"] as const)
    test(`2 to 8 in byte order ${order} is kept in a minimal eXIf, and all other entries are removed`, () => {
      for (let value = 2; value <= 8; value += 1) {
        const full = joined(
          tiff(order, [0x010f, 1], [ORIENTATION, 9], [ORIENTATION, value], [0x8825, 200]),
          "GPS",
        );
        expect(cleaned(pngWith({ afterHeader: [chunk("tEXt", "a\0b"), chunk("eXIf", full)] }))).toBe(
          hex(pngWith({ afterHeader: [turned(value)] })),
        );
      }
      for (const value of [0, 1, 9, 0x0600])
        expect(cleaned(pngWith({ afterHeader: [chunk("eXIf", tiff(order, [ORIENTATION, value]))] }))).toBe(
          hex(clean),
        );
    });

  test("is read from the first eXIf before the pixels with a right checksum, as decoders do", () => {
    const [six, three] = [turned(6), turned(3)];
    const wrong = chunk("eXIf", tiff("MM", [ORIENTATION, 8]), 1);
    const kept = hex(pngWith({ afterHeader: [six] }));
    expect(cleaned(pngWith({ afterHeader: [six, three], afterPixels: [three] }))).toBe(kept);
    expect(cleaned(pngWith({ afterHeader: [wrong, six] }))).toBe(kept);
    expect(cleaned(pngWith({ afterHeader: [turned(1), six] }))).toBe(hex(clean));
    expect(cleaned(pngWith({ afterHeader: [chunk("eXIf", "xx"), six] }))).toBe(hex(clean));
    expect(cleaned(pngWith({ afterPixels: [six] }))).toBe(hex(clean));
    expect(cleaned(pngWith({ afterHeader: [chunk("eXIf", exif("MM", [[ORIENTATION, 6]]))] }))).toBe(
      hex(clean),
    );
  });

  test("is kept unchanged if it is already alone", () => {
    const image = pngWith({ afterHeader: [turned(5)] });
    expect(cleanImage(image).bytes).toBe(image);
  });
});

describe("the ICC profile of a PNG", () => {
  const withPrivate = iccProfile([...P3_TAGS, ...PRIVATE_TAGS]);
  const profiled = (part: Uint8Array) => pngWith({ afterHeader: [part] });
  const rewritten = hex(profiled(iccp(PROFILE, "ICC profile")));

  test("without its private tags is compressed again, under a neutral name", () => {
    expect(cleaned(profiled(iccp(withPrivate, "Jane Doe's display")))).toBe(rewritten);
  });

  test("is written again if bytes follow it in its chunk, or its name is too long", () => {
    expect(cleaned(profiled(iccp(PROFILE, "x", "taken by Grace")))).toBe(rewritten);
    expect(cleaned(profiled(iccp(PROFILE, "x".repeat(80))))).toBe(rewritten);
    const longest = profiled(iccp(PROFILE, "x".repeat(79)));
    expect(cleanImage(longest).bytes).toBe(longest);
  });

  test("goes if decoders do not accept it, and the next one with it", () => {
    const broken = [
      chunk("iCCP", joined("x\0\0", deflateSync(PROFILE).subarray(0, -1))),
      chunk("iCCP", joined("x\0\x01", deflateSync(PROFILE))),
      chunk("iCCP", joined("\0\0", deflateSync(PROFILE))),
      chunk("iCCP", "a name"),
      chunk("iCCP"),
      iccp(joined(PROFILE, [0])),
      iccp(PROFILE.subarray(0, -1)),
    ];
    for (const part of broken) {
      expect(cleaned(profiled(part))).toBe(hex(clean));
      expect(cleaned(pngWith({ afterHeader: [part, iccp(PROFILE)] }))).toBe(hex(clean));
    }
  });

  test("of more than 4 MB goes, without being uncompressed further", () => {
    const bomb = iccp(iccProfile([["desc", new Uint8Array(4 * 1024 * 1024)]]));
    expect(cleaned(profiled(bomb))).toBe(hex(clean));
    const large = profiled(iccp(iccProfile([["desc", new Uint8Array(4 * 1024 * 1024 - 200)]])));
    expect(cleanImage(large).bytes).toBe(large);
  });
});

describe("a PNG is refused as malformed:", () => {
  test("a file that is truncated at any byte, also within a chunk that would be removed", () => {
    const image = pngWith({ afterHeader: [chunk("tEXt", "a\0b")] });
    for (let length = 8; length < image.length; length += 1) {
      expect(() => cleanImage(image.subarray(0, length))).toThrow("malformed");
    }
  });

  test("any flipped bit in a chunk that is kept", () => {
    const image = pngWith({ afterHeader: [chunk("gAMA", uint32(45455)), iccp(PROFILE)] });
    for (let bit = 8 * 8; bit < image.length * 8; bit += 1) {
      const changed = Uint8Array.from(image);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const refused = tryCleaning(changed);
      // A flipped bit in the name of an ancillary chunk makes it an unknown one, which is removed.
      if (refused === null) expect(cleanImage(changed).bytes.length).toBeLessThan(image.length);
    }
  });

  const header = (...data: number[]) =>
    joined(PNG_SIGNATURE, chunk("IHDR", data), chunk("IDAT", [0]), chunk("IEND"));
  const size = [...uint32(1), ...uint32(1)];
  const broken: [string, Uint8Array, string][] = [
    [
      "a wrong checksum of IHDR",
      joined(PNG_SIGNATURE, chunk("IHDR", [...size, 8, 2, 0, 0, 0], 1)),
      "checksum of IHDR",
    ],
    ["a wrong checksum of IEND", joined(clean.subarray(0, -1), [0]), "checksum of IEND"],
    [
      "a wrong checksum of a colour chunk",
      pngWith({ afterHeader: [chunk("gAMA", [0, 0, 0, 1], 1)] }),
      "checksum of gAMA",
    ],
    ["data in IEND", joined(clean.subarray(0, -12), chunk("IEND", "text")), "IEND holds data"],
    ["no IEND", clean.subarray(0, -12), "too early"],
    ["no pixels", joined(PNG_SIGNATURE, PNG_HEADER, chunk("IEND")), "IEND is out of place"],
    [
      "another chunk before IHDR",
      joined(PNG_SIGNATURE, chunk("tEXt", "a\0b"), clean.subarray(8)),
      "header is missing",
    ],
    ["a second IHDR", pngWith({ afterHeader: [PNG_HEADER] }), "IHDR is out of place"],
    [
      "a second palette",
      pngWith({ afterHeader: [chunk("PLTE", [1, 2, 3]), chunk("PLTE", [1, 2, 3])] }),
      "PLTE is out of place",
    ],
    [
      "a palette after the pixels",
      pngWith({ afterPixels: [chunk("PLTE", [1, 2, 3])] }),
      "PLTE is out of place",
    ],
    [
      "IDAT chunks that are not consecutive",
      pngWith({ afterPixels: [chunk("gAMA", uint32(1)), chunk("IDAT")] }),
      "IDAT is out of place",
    ],
    [
      "a chunk name with characters other than letters",
      pngWith({ afterHeader: [chunk("tE\0t")] }),
      "proper name",
    ],
    [
      "an IHDR of the wrong length",
      joined(PNG_SIGNATURE, chunk("IHDR", [...size, 8, 2, 0, 0, 0, 0])),
      "header is missing",
    ],
    ["no width", header(...uint32(0), ...uint32(1), 8, 2, 0, 0, 0), "size"],
    ["no height", header(...uint32(1), ...uint32(0), 8, 2, 0, 0, 0), "size"],
    ["a width beyond 31 bits", header(...uint32(0x80000000), ...uint32(1), 8, 2, 0, 0, 0), "size"],
    ["16 bits of a palette", header(...size, 16, 3, 0, 0, 0), "kind of colours"],
    ["an unknown colour type", header(...size, 8, 5, 0, 0, 0), "kind of colours"],
    ["an unknown compression method", header(...size, 8, 2, 1, 0, 0), "coding"],
    ["an unknown filter method", header(...size, 8, 2, 0, 1, 0), "coding"],
    ["an unknown interlace method", header(...size, 8, 2, 0, 0, 2), "coding"],
    ["an indexed image without a palette", header(...size, 8, 3, 0, 0, 0), "palette is missing"],
    [
      "a gAMA chunk that contains text",
      pngWith({ afterHeader: [chunk("gAMA", "text ".repeat(200))] }),
      "too long",
    ],
  ];
  for (const [name, image, reason] of broken) test(name, () => expectMalformed(image, reason));

  test("a palette whose length is not a multiple of three", () => {
    const image = (palette: Uint8Array) =>
      joined(
        PNG_SIGNATURE,
        chunk("IHDR", [...size, 8, 3, 0, 0, 0]),
        chunk("PLTE", palette),
        chunk("IDAT", [0]),
        chunk("IEND"),
      );
    expectMalformed(image(new Uint8Array(4)), "palette has a wrong length");
    expectMalformed(image(new Uint8Array(0)), "palette has a wrong length");
    expectMalformed(image(new Uint8Array(771)), "PLTE is too long");
    expect(cleanImage(image(new Uint8Array(768))).width).toBe(1);
  });

  test("a chunk that declares gigabytes, for which no memory is allocated", () => {
    expectMalformed(joined(PNG_SIGNATURE, PNG_HEADER, uint32(0xffffffff), "tEXt"), "too early");
  });
});

function tryCleaning(image: Uint8Array): unknown {
  try {
    cleanImage(image);
    return null;
  } catch (error) {
    return error;
  }
}
