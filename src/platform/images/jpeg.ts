import type { CleanedImage } from "./clean-image.ts";
import { minimalExif, orientationOf } from "./exif.ts";
import { checkScanHeader, checkTables, type Frame, readFrame } from "./jpeg-segments.ts";
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
const EOI = 0xd9;
const SOS = 0xda;
const DNL = 0xdc;
const APP0 = 0xe0;
const APP1 = 0xe1;
const APP2 = 0xe2;
const APP14 = 0xee;
const APP15 = 0xef;
const COM = 0xfe;

/** The length in bytes to which a JPEG segment that is kept is truncated, including the identifier at its beginning. */
const JFIF_LENGTH = 14;
const ADOBE_LENGTH = 12;
/** The identifier of a segment that contains a part of the ICC profile. */
const ICC_HEADER_LENGTH = 14;
const EXIF_NAME_LENGTH = 6;

/**
 * The data between two JPEG markers. `start` is the position of the marker's last 0xFF; `data` begins after the
 * length.
 */
type Segment = { code: number; start: number; data: number; end: number };

/**
 * Keeps what is needed to decode a JPEG: frames, tables and complete scans. Of the application segments, keeps the
 * JFIF header without its thumbnail, ICC profiles, Adobe's colour transform, and an Orientation. Removes all other
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
      if (hasMetExif || scans > 0 || !holds(source, segment, "Exif\0", EXIF_NAME_LENGTH)) continue;
      hasMetExif = true;
      const orientation = orientationOf(source.bytes.subarray(data + EXIF_NAME_LENGTH, end));
      if (orientation !== 1) output.put(minimalExif(orientation));
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

/** Skips the fill bytes before a marker; there may be any number. */
function nextMarker(source: Source, at: number): Pick<Segment, "code" | "start"> {
  if (source.byte(at) !== 0xff) throw new MalformedImage("a segment does not end where it says");
  let position = at + 1;
  while (source.byte(position) === 0xff) position += 1;
  const code = source.byte(position);
  // Rejects reserved markers, and markers without a length: restarts outside of a scan, a second start.
  if (code < 0xc0 || (code >= 0xd0 && code <= 0xd8))
    throw new MalformedImage(`marker ${code.toString(16)} is out of place`);
  return { code, start: position - 1 };
}

function readSegment(source: Source, code: number, start: number): Segment {
  const length = source.uint16(start + 2);
  const end = start + 2 + length;
  if (length < 2) throw new MalformedImage("a segment is shorter than its own length");
  source.reachTo(end);
  return { code, start, data: start + 4, end };
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

/**
 * Keeps JFIF's header, ICC profiles and Adobe's colour transform, each truncated to the length that its format
 * defines.
 */
function keepApplicationData(source: Source, segment: Segment, output: Output): void {
  const { code, start, end } = segment;
  if (code === APP0 && holds(source, segment, "JFIF\0", JFIF_LENGTH)) {
    keepCut(output, start, JFIF_LENGTH);
    // Sets the width and height of the JFIF thumbnail to zero.
    output.overwrite(output.length - 2, new Uint8Array(2));
  } else if (code === APP14 && holds(source, segment, "Adobe", ADOBE_LENGTH)) {
    keepCut(output, start, ADOBE_LENGTH);
  } else if (code === APP2 && holds(source, segment, "ICC_PROFILE\0", ICC_HEADER_LENGTH)) {
    output.keep(start, end);
  }
}

/** Whether a segment's data begins with this identifier and has at least the length of the identifier. */
const holds = (source: Source, { data, end }: Segment, name: string, length: number) =>
  end - data >= length && source.has(data, name);

/** Keeps the first bytes of a segment's data, and corrects its length. */
function keepCut(output: Output, start: number, length: number): void {
  output.keep(start, start + 4 + length);
  output.overwrite(output.length - length - 2, Uint8Array.of(0, length + 2));
}
