import type { CleanedImage } from "./clean-image.ts";
import { minimalTiff, orientationOf } from "./exif.ts";
import { isOfProfile, type JpegProfile, readJpegProfile } from "./jpeg-profile.ts";
import {
  checkScanHeader,
  checkTables,
  EOI,
  type Frame,
  holds,
  nextMarker,
  readFrame,
  readSegment,
  type Segment,
  SOS,
  segmentOf,
} from "./jpeg-segments.ts";
import { Output } from "./output.ts";
import { MalformedImage } from "./refusals.ts";
import type { Source } from "./source.ts";

const SOI_LENGTH = 2;
/**
 * The markers of frames: baseline, extended, progressive, lossless, and these with arithmetic coding. No common
 * decoder reads hierarchical frames.
 */
const FRAMES = new Set([0xc0, 0xc1, 0xc2, 0xc3, 0xc9, 0xca, 0xcb]);
/** The markers of tables: DHT, DAC, DQT and DRI. */
const TABLES = new Set([0xc4, 0xcc, 0xdb, 0xdd]);
const DNL = 0xdc;
const APP0 = 0xe0;
const APP1 = 0xe1;
const APP14 = 0xee;
const APP15 = 0xef;
const COM = 0xfe;

/** The length in bytes to which a JPEG segment that is kept is truncated, including the identifier at its beginning. */
const JFIF_LENGTH = 14;
const ADOBE_LENGTH = 12;
const EXIF_NAME = Uint8Array.of(0x45, 0x78, 0x69, 0x66, 0, 0);

/**
 * Keeps what is needed to decode a JPEG: frames, tables and complete scans. Of the application segments, keeps the
 * JFIF header without its thumbnail, the ICC profile, Adobe's colour transform, and an Orientation. Removes all other
 * application segments and comments, and bytes after the end of the main image, where previews and depth maps are
 * stored.
 * @throws MalformedImage
 */
export function cleanJpeg(source: Source): CleanedImage {
  const output = new Output(source.bytes);
  output.keep(0, SOI_LENGTH);
  let frame: Frame | null = null;
  let scans = 0;
  let hasMetExif = false;
  let profile: JpegProfile | null = null;
  /** The previous marker that was kept, not counting application segments. */
  let previous = 0;

  for (let at = SOI_LENGTH; ; ) {
    const { code, start } = nextMarker(source, at);
    if (code === EOI) {
      if (frame === null || scans === 0) throw new MalformedImage("it ends without an image");
      if (frame.height === 0) throw new MalformedImage("its height is missing");
      output.keep(start, start + 2);
      return { bytes: output.bytes(), width: frame.width, height: frame.height };
    }
    const segment = readSegment(source, code, start);
    const { data, end } = segment;
    at = end;

    if (code === APP1) {
      // Decoders ignore an empty Exif block, and use the first of the others. Some write 255 for the last zero.
      if (hasMetExif || scans > 0 || !holds(source, segment, "Exif\0", EXIF_NAME.length + 1)) continue;
      hasMetExif = true;
      const orientation = orientationOf(source.bytes.subarray(data + EXIF_NAME.length, end));
      if (orientation !== 1) output.put(segmentOf(APP1, EXIF_NAME, minimalTiff(orientation)));
      continue;
    }
    if (isOfProfile(source, segment)) {
      if (scans > 0) continue;
      if (profile === null) {
        profile = readJpegProfile(source, start);
        for (const part of profile.replaced) output.put(part);
      }
      if (profile.kept.has(start)) output.keep(start, end);
      continue;
    }
    if ((code >= APP0 && code <= APP15) || code === COM) {
      keepApplicationData(source, segment, output);
      continue;
    }

    if (FRAMES.has(code)) {
      if (frame !== null) throw new MalformedImage("it has two frames");
      frame = readFrame(source, code, data, end);
    } else if (code === SOS) {
      if (frame === null) throw new MalformedImage("a scan comes before the frame");
      checkScanHeader(source, frame, data, end);
      scans += 1;
      at = endOfScan(source, end);
    } else if (code === DNL) {
      if (frame === null || previous !== SOS || scans !== 1)
        throw new MalformedImage("a DNL is out of place");
      if (end - data !== 2) throw new MalformedImage("a DNL has a wrong length");
      // Decoders ignore a DNL segment if the frame header has a height.
      if (frame.height === 0) frame.height = source.uint16(data);
    } else if (TABLES.has(code)) {
      checkTables(source, code, data, end);
    } else {
      throw new MalformedImage(`marker ${code.toString(16)} is not known`);
    }
    previous = code;
    output.keep(start, at);
  }
}

/**
 * Finds the end of a scan: the first marker that is neither a restart nor a stuffed zero. Fill bytes before the
 * marker do not belong to the scan.
 */
function endOfScan({ bytes }: Source, from: number): number {
  let at = bytes.indexOf(0xff, from);
  while (at !== -1) {
    let next = at + 1;
    while (bytes[next] === 0xff) next += 1;
    const code = bytes[next];
    if (code === undefined) break;
    if (code !== 0 && (code < 0xd0 || code > 0xd7)) return at;
    // With many stuffed zeros in a row, indexOf() costs more than comparing bytes.
    at = bytes[next + 1] === 0xff ? next + 1 : bytes.indexOf(0xff, next + 1);
  }
  throw new MalformedImage("it ends in the middle of a scan");
}

/** Keeps JFIF's header and Adobe's colour transform, each truncated to the length that its format defines. */
function keepApplicationData(source: Source, segment: Segment, output: Output): void {
  const { code, start } = segment;
  if (code === APP0 && holds(source, segment, "JFIF\0", JFIF_LENGTH)) {
    keepCut(output, start, JFIF_LENGTH);
    // Sets the width and height of the JFIF thumbnail to zero.
    output.overwrite(output.length - 2, new Uint8Array(2));
  } else if (code === APP14 && holds(source, segment, "Adobe", ADOBE_LENGTH)) {
    keepCut(output, start, ADOBE_LENGTH);
  }
}

/** Keeps the first bytes of a segment's data, and corrects its length. */
function keepCut(output: Output, start: number, length: number): void {
  output.keep(start, start + 4 + length);
  output.overwrite(output.length - length - 2, Uint8Array.of(0, length + 2));
}
