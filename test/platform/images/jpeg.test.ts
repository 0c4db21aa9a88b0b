import { describe, expect, test } from "bun:test";
import { cleanImage } from "#src/platform/images/clean";
import { cleaned, expectMalformed, hex } from "../../support/cleaning.ts";
import { iccProfile, P3_TAGS, PRIVATE_TAGS, PROFILE } from "../../support/icc.ts";
import { APP, COM, DHT, DQT, DRI, exif, joined, jpegWith, SOF0, SOS, segment } from "../../support/images.ts";

const ORIENTATION = 0x0112;
const clean = jpegWith();
const jfif = (thumbnail: number[] = [], width = 0, height = 0) =>
  segment(APP(0), "JFIF\0", [1, 2, 1, 0, 72, 0, 72, width, height], thumbnail);
const adobe = (transform: number, ...more: string[]) =>
  segment(APP(14), "Adobe", [0, 100, 0, 0, 0, 0, transform], ...more);
const icc = (part: number, of: number, data: Uint8Array | string = PROFILE) =>
  segment(APP(2), "ICC_PROFILE\0", [part, of], data);
const half = (part: number) => icc(part, 2, part === 1 ? PROFILE.subarray(0, 99) : PROFILE.subarray(99));
const turned = (value: number) => segment(APP(1), exif("MM", [[ORIENTATION, value]]));

test("a JPEG without metadata is returned byte for byte", () => {
  const image = cleanImage(clean);
  expect(image.bytes).toBe(clean);
  expect(image).toMatchObject({ contentType: "image/jpeg", extension: "jpg", width: 8, height: 8 });
});

describe("cleaning a JPEG removes", () => {
  const gone: [string, Uint8Array][] = [
    ["XMP", segment(APP(1), "http://ns.adobe.com/xap/1.0/\0<x:xmpmeta/>")],
    ["extended XMP", segment(APP(1), "http://ns.adobe.com/xmp/extension/\0", new Uint8Array(60))],
    ["IPTC", segment(APP(13), "Photoshop 3.0\0", "8BIM\x04\x04\0\0\0\0\0\0")],
    ["MPF, which shares its marker with ICC profiles", segment(APP(2), "MPF\0", new Uint8Array(40))],
    ["a segment that only starts like an ICC profile", segment(APP(2), "ICC_PROFILE\0", [1])],
    ["what is named an ICC profile and is none", icc(1, 1, "taken by Grace")],
    ["an ICC profile with a missing part", icc(1, 2)],
    ["an ICC profile with a part number of zero", icc(0, 1)],
    ["an ICC profile longer than it says", icc(1, 1, joined(PROFILE, "taken by Grace"))],
    ["JFXX with its thumbnail", segment(APP(0), "JFXX\0", [0x10], clean)],
    ["a JFIF header that is too short", segment(APP(0), "JFIF\0", [1, 2])],
    ["an Adobe segment that is too short", segment(APP(14), "Adobe", [0, 100])],
    ["a C2PA content credential", segment(APP(11), "JP", [0, 1, 0, 0, 0, 1], "jumb")],
    ["a segment of an unknown application", segment(APP(5), "anything")],
    ["an empty application segment", segment(APP(15))],
    ["a comment", segment(COM, "taken by Grace")],
    ["an empty comment", segment(COM)],
  ];
  for (const [name, part] of gone) {
    test(`${name}, before the frame, before the scans and between them`, () => {
      expect(cleaned(jpegWith({ header: [part] }))).toBe(hex(clean));
      expect(cleaned(jpegWith({ beforeScans: [part] }))).toBe(hex(clean));
      expect(cleaned(jpegWith({ betweenScans: [part, part] }))).toBe(hex(clean));
    });
  }

  test("everything after the end of the main image", () => {
    expect(cleaned(jpegWith({ trailing: "text" }))).toBe(hex(clean));
    expect(cleaned(jpegWith({ trailing: clean }))).toBe(hex(clean));
    expect(cleaned(jpegWith({ trailing: [0xff] }))).toBe(hex(clean));
  });

  test("the memory of removed data: the cleaned bytes have their own buffer", () => {
    for (const image of [jpegWith({ trailing: "secret" }), jpegWith({ header: [segment(COM, "secret")] })]) {
      expect(cleanImage(image).bytes.buffer.byteLength).toBe(clean.length);
    }
  });

  test("fill bytes before a marker, any number of them", () => {
    const filled = [[0xff, 0xff, 0xff], segment(COM, "x"), [0xff], segment(DRI, [0, 0]), [0xff, 0xff]];
    const unfilled = [segment(DRI, [0, 0])];
    expect(cleaned(jpegWith({ header: filled }))).toBe(hex(jpegWith({ header: unfilled })));
    expect(cleaned(jpegWith({ betweenScans: filled }))).toBe(hex(jpegWith({ betweenScans: unfilled })));
  });

  test("bytes between segments, which decoders skip", () => {
    const header = jpegWith({ header: [jfif()] });
    for (const bytes of ["hidden", [0, 0], [0xff, 0], [0xff, 0xd0], [0xff, 0xff, 0xd7, 1, 0xff, 0, 2]]) {
      expect(cleaned(jpegWith({ header: [jfif(), bytes] }))).toBe(hex(header));
      expect(cleaned(jpegWith({ beforeScans: [bytes] }))).toBe(hex(clean));
      expect(cleaned(jpegWith({ betweenScans: [segment(COM, "x"), bytes] }))).toBe(hex(clean));
    }
  });
});

describe("cleaning a JPEG keeps", () => {
  const kept: [string, Uint8Array[]][] = [
    ["the JFIF header", [jfif()]],
    ["Adobe's colour transform, without which CMYK and RGB change", [adobe(0)]],
    ["every part of an ICC profile", [half(1), half(2)]],
    ["the parts of an ICC profile in their order", [half(2), jfif(), half(1)]],
    ["an empty DHT", [segment(DHT)]],
    ["an empty DQT", [segment(DQT)]],
    ["an empty DAC", [segment(0xcc)]],
    ["a DHT whose table has no codes", [segment(DHT, [0x03], new Uint8Array(16))]],
    [
      "two tables in one DQT, of 8 and 16 bits",
      [segment(DQT, [1], new Uint8Array(64).fill(1), [0x12], new Uint8Array(128).fill(1))],
    ],
    ["arithmetic conditioning", [segment(0xcc, [0x00, 0x10, 0x10, 5])]],
    ["a restart interval", [segment(DRI, [0, 4])]],
  ];
  for (const [name, parts] of kept) {
    test(name, () => {
      const image = jpegWith({ header: parts });
      expect(cleanImage(image).bytes).toBe(image);
    });
  }

  test("scan data to the last byte, with stuffed zeros and restart markers", () => {
    const [before, after] = split(clean);
    const data = [0xff, 0, 0xff, 0xd0, 0x12, 0xff, 0, 0xff, 0, 0xff, 0xd7, 0xff, 0xff, 0];
    const image = joined(before, data, after);
    expect(cleanImage(image).bytes).toBe(image);
  });

  for (const code of [0xc0, 0xc1, 0xc2, 0xc3, 0xc9, 0xca, 0xcb]) {
    test(`a frame with the marker FF${code.toString(16)}`, () => {
      const image = frameOf(code, [8, 0, 2, 0, 3, 1, 1, 0x11, 0]);
      expect(cleanImage(image)).toMatchObject({ width: 3, height: 2, bytes: image });
    });
  }

  test("a frame of 12 bits per sample, and a lossless one of 16", () => {
    expect(cleanImage(frameOf(0xc1, [12, 0, 2, 0, 3, 1, 1, 0x11, 0])).width).toBe(3);
    expect(cleanImage(frameOf(0xc3, [16, 0, 2, 0, 3, 1, 1, 0x11, 0])).width).toBe(3);
  });
});

describe("cleaning a JPEG truncates", () => {
  test("the thumbnail of a JFIF header", () => {
    const image = jpegWith({ header: [jfif([1, 2, 3, 4, 5, 6], 2, 1)] });
    expect(cleaned(image)).toBe(hex(jpegWith({ header: [jfif()] })));
  });

  test("a thumbnail whose size is declared without data, and data without a size", () => {
    expect(cleaned(jpegWith({ header: [jfif([], 9, 9)] }))).toBe(hex(jpegWith({ header: [jfif()] })));
    expect(cleaned(jpegWith({ header: [jfif([7, 7])] }))).toBe(hex(jpegWith({ header: [jfif()] })));
  });

  test("everything after Adobe's colour transform", () => {
    const image = jpegWith({ header: [adobe(2, "taken by Grace")] });
    expect(cleaned(image)).toBe(hex(jpegWith({ header: [adobe(2)] })));
  });
});

describe("the Orientation of a JPEG", () => {
  for (const order of ["II", "MM"] as const) {
    for (const value of [2, 3, 4, 5, 6, 7, 8]) {
      test(`${value} in byte order ${order} is kept, and all other Exif entries are removed`, () => {
        const full = segment(
          APP(1),
          exif(order, [
            [0x010f, 1],
            [ORIENTATION, value],
            [0x8825, 200],
          ]),
          "more",
        );
        expect(cleaned(jpegWith({ header: [jfif(), full] }))).toBe(
          hex(jpegWith({ header: [jfif(), turned(value)] })),
        );
      });
    }
    test(`1 in byte order ${order} is removed, and so is an invalid value`, () => {
      for (const value of [1, 0, 9, 0x0600]) {
        const image = jpegWith({ header: [segment(APP(1), exif(order, [[ORIENTATION, value]]))] });
        expect(cleaned(image)).toBe(hex(clean));
      }
    });
  }

  test("is kept unchanged if it is already the only Exif entry", () => {
    const image = jpegWith({ header: [turned(6)] });
    expect(cleanImage(image).bytes).toBe(image);
  });

  test("is read from the first Exif block; later Exif blocks and those after a scan are ignored", () => {
    const image = jpegWith({ header: [turned(6), turned(3)], betweenScans: [turned(8)] });
    expect(cleaned(image)).toBe(hex(jpegWith({ header: [turned(6)] })));
    expect(cleaned(jpegWith({ header: [turned(1), turned(3)] }))).toBe(hex(clean));
    expect(cleaned(jpegWith({ betweenScans: [turned(8)] }))).toBe(hex(clean));
  });

  test("is read from the second Exif block if the first is empty, as decoders do", () => {
    const image = jpegWith({ header: [segment(APP(1), "Exif\0\0"), turned(6)] });
    expect(cleaned(image)).toBe(hex(jpegWith({ header: [turned(6)] })));
  });

  test("is the first valid one of several entries", () => {
    for (const values of [
      [6, 3],
      [0, 6],
      [9, 6],
      [9, 0, 6, 3],
    ]) {
      const entries = values.map((value): [number, number] => [ORIENTATION, value]);
      const image = jpegWith({ header: [segment(APP(1), exif("II", entries))] });
      expect(cleaned(image)).toBe(hex(jpegWith({ header: [turned(6)] })));
    }
  });

  test("is removed if the Exif block is malformed", () => {
    const good = exif("MM", [[ORIENTATION, 6]]);
    const changed = (at: number, ...bytes: number[]) => {
      const copy = Uint8Array.from(good);
      copy.set(bytes, at);
      return copy;
    };
    const garbled = [
      changed(6, 0x58, 0x58), // an Exif block without a byte order
      changed(8, 0, 43), // an Exif block with a wrong TIFF magic number
      changed(10, 0xff, 0xff, 0xff, 0xff), // an Exif block whose directory is far beyond its end
      changed(10, 0, 0, 0, 33), // an Exif block whose directory begins in its last bytes
      changed(10, 0, 0, 0, 0), // an Exif block whose directory overlaps its header
      changed(14, 0, 0), // an Exif block whose directory has no entries
      changed(18, 0, 4), // an Exif block whose orientation is not of type SHORT
      changed(20, 0, 0, 0, 2), // an Exif block whose orientation has two values
      good.subarray(0, 22), // an Exif block that ends within an entry
      good.subarray(0, 15), // an Exif block that ends within the number of entries
      good.subarray(0, 6), // an Exif block without a TIFF header
    ];
    for (const data of garbled)
      expect(cleaned(jpegWith({ header: [segment(APP(1), data)] }))).toBe(hex(clean));
  });

  test("is found even if the directory declares more entries than exist", () => {
    const data = Uint8Array.from(exif("II", [[ORIENTATION, 6]]));
    data.set([0xff, 0xff], 14);
    expect(cleaned(jpegWith({ header: [segment(APP(1), data)] }))).toBe(
      hex(jpegWith({ header: [turned(6)] })),
    );
  });
});

describe("the ICC profile of a JPEG", () => {
  test("is read before the first scan, as decoders do", () => {
    expect(cleaned(jpegWith({ header: [icc(1, 1)], betweenScans: [icc(1, 1)] }))).toBe(
      hex(jpegWith({ header: [icc(1, 1)] })),
    );
    expect(cleaned(jpegWith({ header: [half(1)], betweenScans: [half(2)] }))).toBe(hex(clean));
    const late = jpegWith({ beforeScans: [icc(1, 1)] });
    expect(cleanImage(late).bytes).toBe(late);
  });

  test("loses the parts after it is complete, and goes if a part is repeated before, as in browsers", () => {
    expect(cleaned(jpegWith({ header: [half(2), half(1), half(1), icc(3, 2), icc(1, 1)] }))).toBe(
      hex(jpegWith({ header: [half(2), half(1)] })),
    );
    expect(cleaned(jpegWith({ header: [half(1), half(1), half(2)] }))).toBe(hex(clean));
  });

  test("loses empty parts, which browsers skip", () => {
    const empty = icc(1, 1, joined());
    expect(cleaned(jpegWith({ header: [empty, icc(1, 1)] }))).toBe(hex(jpegWith({ header: [icc(1, 1)] })));
  });

  test("goes if its parts do not agree on their number", () => {
    expect(cleaned(jpegWith({ header: [half(1), icc(2, 3, PROFILE.subarray(99))] }))).toBe(hex(clean));
    expect(cleaned(jpegWith({ header: [icc(2, 1), icc(1, 1)] }))).toBe(hex(clean));
  });

  test("without its private tags replaces all its parts, also in more than one segment", () => {
    const [long, cleanLong] = [
      iccProfile([...P3_TAGS, ["targ", new Uint8Array(70_000).fill(7)], ...PRIVATE_TAGS]),
      iccProfile([...P3_TAGS, ["targ", new Uint8Array(70_000).fill(7)]]),
    ];
    const split = (profile: Uint8Array, at: number) => [
      icc(1, 2, profile.subarray(0, at)),
      icc(2, 2, profile.subarray(at)),
    ];
    const [one = joined(), two = joined()] = split(long, 40_000);
    expect(cleaned(jpegWith({ header: [jfif(), two, turned(6), one] }))).toBe(
      hex(jpegWith({ header: [jfif(), ...split(cleanLong, 65_519), turned(6)] })),
    );
  });
});

describe("a JPEG with a height of zero", () => {
  const dnl = (lines: number) => segment(0xdc, [0, lines]);
  test("has the height of the DNL segment after the first scan, even after a comment", () => {
    const image = jpegWith({ height: 0, betweenScans: [segment(COM, "x"), dnl(8)] });
    expect(cleanImage(image)).toMatchObject({ width: 8, height: 8 });
    expect(cleaned(image)).toBe(hex(jpegWith({ height: 0, betweenScans: [dnl(8)] })));
  });
  test("is malformed without a DNL segment, with two, or with one of zero lines", () => {
    expectMalformed(jpegWith({ height: 0 }), "its height is missing");
    expectMalformed(jpegWith({ height: 0, betweenScans: [dnl(0)] }), "its height is missing");
    expectMalformed(jpegWith({ height: 0, betweenScans: [dnl(8), dnl(8)] }), "DNL is out of place");
    expectMalformed(jpegWith({ height: 0, beforeScans: [dnl(8)] }), "DNL is out of place");
    const second = [segment(SOS, [1, 1, 0, 0, 0, 0]), [0x7f]];
    expectMalformed(jpegWith({ height: 0, betweenScans: [...second, dnl(8)] }), "DNL is out of place");
  });
  test("is the only case in which a DNL segment changes the height", () => {
    expect(cleanImage(jpegWith({ betweenScans: [dnl(3)] })).height).toBe(8);
  });
});

describe("a JPEG is refused as malformed:", () => {
  test("a file that is truncated at any byte", () => {
    const image = jpegWith({ header: [jfif(), turned(6)], betweenScans: [segment(COM, "x")] });
    for (let length = 3; length < image.length; length += 1)
      expectMalformed(image.subarray(0, length), "ends");
  });

  const broken: [string, Uint8Array, string][] = [
    [
      "a segment shorter than its own length",
      jpegWith({ header: [[0xff, 0xfe, 0, 1]] }),
      "shorter than its own",
    ],
    ["a segment longer than the file", jpegWith({ header: [[0xff, 0xfe, 0xff, 0xff]] }), "ends too early"],
    ["a second start of image", jpegWith({ header: [[0xff, 0xd8]] }), "is out of place"],
    ["a reserved marker", jpegWith({ header: [segment(0x02, "hidden")] }), "is out of place"],
    [
      "a hierarchical image",
      jpegWith({ header: [segment(0xde, [8, 0, 8, 0, 8, 1, 1, 0x11, 0])] }),
      "is not known",
    ],
    [
      "a second frame",
      jpegWith({ beforeScans: [segment(SOF0, [8, 0, 8, 0, 8, 1, 1, 0x11, 0])] }),
      "two frames",
    ],
    [
      "a scan before the frame",
      jpegWith({ header: [segment(SOS, [1, 1, 0, 0, 63, 0])] }),
      "before the frame",
    ],
    ["no frame", joined([0xff, 0xd8], jfif(), [0xff, 0xd9]), "without an image"],
    ["no scan", joined(jpegWith().subarray(0, 84), [0xff, 0xd9]), "without an image"],
    [
      "a scan of an unknown component",
      jpegWith({ betweenScans: [segment(SOS, [1, 9, 0, 0, 0, 0])] }),
      "frame lacks",
    ],
    [
      "a scan header with extra data",
      jpegWith({ betweenScans: [segment(SOS, [1, 1, 0, 0, 0, 0, 0])] }),
      "wrong length",
    ],
    ["an empty scan header", jpegWith({ betweenScans: [segment(SOS)] }), "is empty"],
    ["a frame header with extra data", frameOf(SOF0, [8, 0, 2, 0, 3, 1, 1, 0x11, 0, 0]), "wrong length"],
    ["a frame without components", frameOf(SOF0, [8, 0, 2, 0, 3, 0]), "number of components"],
    ["a frame of width zero", frameOf(SOF0, [8, 0, 2, 0, 0, 1, 1, 0x11, 0]), "width is zero"],
    ["a frame of 13 bits per sample", frameOf(SOF0, [13, 0, 2, 0, 3, 1, 1, 0x11, 0]), "precision"],
    ["a sampling factor of zero", frameOf(SOF0, [8, 0, 2, 0, 3, 1, 1, 0x01, 0]), "sampling"],
    ["a sampling factor of five", frameOf(SOF0, [8, 0, 2, 0, 3, 1, 1, 0x15, 0]), "sampling"],
    ["text in a DQT", jpegWith({ header: [segment(DQT, [0], new Uint8Array(64), "x")] }), "not known"],
    ["a truncated DQT", jpegWith({ header: [segment(DQT, [0], new Uint8Array(63))] }), "do not fit"],
    [
      "a DHT of 257 symbols",
      jpegWith({ header: [segment(DHT, [0, 255, 2], new Uint8Array(271))] }),
      "too large",
    ],
    ["a truncated DHT", jpegWith({ header: [segment(DHT, [0, 2], new Uint8Array(16))] }), "do not fit"],
    ["a DHT that ends within its counts", jpegWith({ header: [segment(DHT, [0, 2])] }), "cut off"],
    [
      "a DHT of an unknown class",
      jpegWith({ header: [segment(DHT, [0x20, ...new Uint8Array(16)])] }),
      "not known",
    ],
    ["a DAC of an odd length", jpegWith({ header: [segment(0xcc, [0, 1, 2])] }), "do not fit"],
    ["a DRI with extra data", jpegWith({ header: [segment(DRI, [0, 0, 0])] }), "do not fit"],
  ];
  for (const [name, image, reason] of broken) test(name, () => expectMalformed(image, reason));
});

/** Splits an image before and after the data of its second scan. */
const split = (image: Uint8Array) => [image.subarray(0, -3), image.subarray(-3)] as const;

const frameOf = (code: number, data: number[]) =>
  joined([0xff, 0xd8], segment(code, data), segment(SOS, [1, 1, 0, 0, 63, 0]), [0x7f, 0xff, 0xd9]);
