import { crc32, deflateSync } from "node:zlib";

/**
 * Builds small valid images from their parts, with places where a test can insert data that cleaning must remove.
 * `jpegWith()` and the others without arguments return a clean image.
 */
export type Part = Uint8Array | number[] | string;

/** Concatenates bytes; each character of a text is one byte. */
export const joined = (...parts: Part[]): Uint8Array =>
  new Uint8Array(
    Buffer.concat(
      parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Uint8Array.from(part))),
    ),
  );

export const uint16 = (value: number) => [value >> 8, value & 255];
export const uint32 = (value: number) => [...uint16(value >>> 16), ...uint16(value & 0xffff)];
export const littleEndian = (value: number, length: number) => uint32(value).reverse().slice(0, length);

export const SOF0 = 0xc0;
export const DHT = 0xc4;
export const SOS = 0xda;
export const DQT = 0xdb;
export const DRI = 0xdd;
export const COM = 0xfe;
export const APP = (index: number) => 0xe0 + index;

/** Returns a JPEG marker segment with its length and data. */
export function segment(code: number, ...parts: Part[]): Uint8Array {
  const data = joined(...parts);
  return joined([0xff, code], uint16(data.length + 2), data);
}

type JpegParts = {
  /** Segments between the start of image and the first table. */
  header: Part[];
  /** Segments between the frame header and the first scan. */
  beforeScans: Part[];
  betweenScans: Part[];
  /** Bytes after the end of image. */
  trailing: Part;
  height: number;
};

/** Returns a JPEG of 8 by 8 grey pixels, progressive so that it has two scans. */
export function jpegWith(parts: Partial<JpegParts> = {}): Uint8Array {
  const { header = [], beforeScans = [], betweenScans = [], trailing = [], height = 8 } = parts;
  return joined(
    [0xff, 0xd8],
    ...header,
    segment(DQT, [0], new Uint8Array(64).fill(1)),
    segment(0xc2, [8], uint16(height), uint16(8), [1, 1, 0x11, 0]),
    ...beforeScans,
    // Each Huffman table has one code, a single zero bit.
    segment(DHT, [0x00, 1, ...new Uint8Array(16)]),
    segment(DHT, [0x10, 1, ...new Uint8Array(16)]),
    segment(SOS, [1, 1, 0x00, 0, 0, 0]),
    [0x7f],
    ...betweenScans,
    segment(SOS, [1, 1, 0x00, 1, 63, 0]),
    [0x7f],
    [0xff, 0xd9],
    trailing,
  );
}

/** Returns the data of an Exif segment: a TIFF directory with these entries, each one SHORT. */
export function exif(order: "II" | "MM", entries: [tag: number, value: number][], type = 3): Uint8Array {
  const number = (value: number, length: number) =>
    order === "II" ? littleEndian(value, length) : littleEndian(value, length).reverse();
  return joined(
    "Exif\0\0",
    order,
    number(42, 2),
    number(8, 4),
    number(entries.length, 2),
    ...entries.map(([tag, value]) => [
      ...number(tag, 2),
      ...number(type, 2),
      ...number(1, 4),
      ...number(value, 2),
      0,
      0,
    ]),
    number(0, 4),
  );
}

export const PNG_SIGNATURE = [0x89, ...Buffer.from("PNG\r\n\x1a\n")];

/** Returns a PNG chunk, by default with a correct checksum. */
export function chunk(type: string, data: Part = [], checksum = crc32(joined(type, data))): Uint8Array {
  const bytes = joined(data);
  return joined(uint32(bytes.length), type, bytes, uint32(checksum));
}

/** Returns a PNG of 1 by 2 pixels with 8 bits per RGB channel. */
export const PNG_HEADER = chunk("IHDR", [...uint32(1), ...uint32(2), 8, 2, 0, 0, 0]);
export const PNG_PIXELS = deflateSync(joined([0, 255, 0, 0], [0, 0, 255, 0]));

export function pngWith(
  parts: { afterHeader?: Part[]; afterPixels?: Part[]; trailing?: Part } = {},
): Uint8Array {
  const { afterHeader = [], afterPixels = [], trailing = [] } = parts;
  return joined(
    PNG_SIGNATURE,
    PNG_HEADER,
    ...afterHeader,
    chunk("IDAT", PNG_PIXELS),
    ...afterPixels,
    chunk("IEND"),
    trailing,
  );
}

/** WebP bitstreams of one red pixel, lossless and lossy. */
export const LOSSLESS = Buffer.from("2f000000000710fd8ffe0722a2ff01", "hex");
export const LOSSY = Buffer.from(
  "d001009d012a010001000200" + "3425a00274ba01f80003b000fef0c40bff20b96175c8d7ff203fe407fc80fff8f2000000",
  "hex",
);
/** The alpha channel of one half transparent pixel. */
export const ALPHA = Buffer.from("0080", "hex");

/** Returns a RIFF chunk of a WebP, padded to an even length. */
export function riffChunk(type: string, data: Part = [], padding = 0): Uint8Array {
  const bytes = joined(data);
  return joined(type, littleEndian(bytes.length, 4), bytes, bytes.length % 2 === 1 ? [padding] : []);
}

export function webpOf(...chunks: Part[]): Uint8Array {
  const contents = joined("WEBP", ...chunks);
  return joined("RIFF", littleEndian(contents.length, 4), contents);
}

export const WEBP_FLAGS = { animation: 0x02, xmp: 0x04, exif: 0x08, alpha: 0x10, profile: 0x20 };

/** Returns the header of an extended WebP of one pixel. */
export const vp8x = (flags: number, reserved = 0) =>
  riffChunk("VP8X", [flags, reserved, reserved, reserved, 0, 0, 0, 0, 0, 0]);

export const animation = riffChunk("ANIM", [0, 0, 0, 0, 0, 0]);

/** Returns a WebP animation frame of one pixel, shown for 100 ms. */
export const webpFrame = (...chunks: Part[]) =>
  riffChunk("ANMF", joined(new Uint8Array(12), littleEndian(100, 3), [0], ...chunks));

/** Returns a GIF of 1 by 1 pixels; extensions are inserted before its image. */
export function gifWith(
  parts: { extensions?: Part[]; trailing?: Part; screen?: [width: number, height: number] } = {},
): Uint8Array {
  const { extensions = [], trailing = [], screen = [1, 1] } = parts;
  return joined(
    "GIF89a",
    ...screen.map((size) => littleEndian(size, 2)),
    [0x80, 0, 0],
    [255, 0, 0, 255, 255, 255],
    ...extensions,
    GIF_IMAGE,
    [0x3b],
    trailing,
  );
}

export const GIF_IMAGE = [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0];

/** Returns a GIF extension: its sub-blocks, each with its length, and the terminator. */
export const extension = (label: number, ...blocks: Part[]) =>
  joined([0x21, label], ...blocks.flatMap((block) => [[joined(block).length], block]), [0]);
