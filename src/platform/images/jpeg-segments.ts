import { MalformedImage } from "./refusals.ts";
import type { Source } from "./source.ts";

/**
 * A JPEG frame header. A height of 0 means that a DNL segment follows the first scan. `components` are the ids that
 * scans refer to.
 */
export type Frame = { width: number; height: number; components: number[] };

export const EOI = 0xd9;
export const SOS = 0xda;
const LOSSLESS = new Set([0xc3, 0xcb]);
/** The maximum number of colour components that common decoders accept. */
const MAX_COMPONENTS = 10;

/** Reads a JPEG frame header. @throws MalformedImage for a header that no decoder accepts */
export function readFrame(source: Source, code: number, data: number, end: number): Frame {
  if (end - data < 6) throw new MalformedImage("its frame is too short");
  const precision = source.byte(data);
  const [lowest, highest] = LOSSLESS.has(code) ? [2, 16] : [8, 12];
  if (precision < lowest || precision > highest) throw new MalformedImage("its precision is out of range");
  const count = source.byte(data + 5);
  if (count === 0 || count > MAX_COMPONENTS)
    throw new MalformedImage("its number of components is out of range");
  if (end - data !== 6 + 3 * count) throw new MalformedImage("its frame has a wrong length");

  const components: number[] = [];
  for (let at = data + 6; at < end; at += 3) {
    const horizontal = source.byte(at + 1) >> 4;
    const vertical = source.byte(at + 1) & 15;
    if (horizontal < 1 || horizontal > 4 || vertical < 1 || vertical > 4)
      throw new MalformedImage("its sampling is out of range");
    components.push(source.byte(at));
  }
  const frame = { height: source.uint16(data + 1), width: source.uint16(data + 3), components };
  if (frame.width === 0) throw new MalformedImage("its width is zero");
  return frame;
}

/**
 * Checks the header of a JPEG scan. @throws MalformedImage if it refers to components that the frame does not have
 */
export function checkScanHeader(source: Source, frame: Frame, data: number, end: number): void {
  if (end === data) throw new MalformedImage("a scan header is empty");
  const count = source.byte(data);
  if (count < 1 || count > 4 || end - data !== 4 + 2 * count)
    throw new MalformedImage("a scan header has a wrong length");
  for (let at = data + 1; at < data + 1 + 2 * count; at += 2) {
    if (!frame.components.includes(source.byte(at)))
      throw new MalformedImage("a scan is of a component that the frame lacks");
  }
}

/**
 * Checks the JPEG segments DHT, DQT, DAC and DRI. A segment without any table is valid.
 * @throws MalformedImage if the tables do not fill the segment exactly, so that it cannot hide other data
 */
export function checkTables(source: Source, code: number, data: number, end: number): void {
  let at = data;
  if (code === 0xdd) at += 2;
  else while (at < end) at += lengthOfTable(source, code, at, end);
  if (at !== end) throw new MalformedImage("tables do not fit their segment");
}

function lengthOfTable(source: Source, code: number, at: number, end: number): number {
  const high = source.byte(at) >> 4;
  const low = source.byte(at) & 15;
  if (code === 0xdb) {
    if (high > 1 || low > 3) throw new MalformedImage("a quantization table is not known");
    return 1 + 64 * (high + 1);
  }
  if (code === 0xcc) {
    if (high > 1) throw new MalformedImage("an arithmetic conditioning is not known");
    return 2;
  }
  if (high > 1 || low > 3) throw new MalformedImage("a Huffman table is not known");
  if (at + 17 > end) throw new MalformedImage("a Huffman table is cut off");
  const symbols = source.bytes.subarray(at + 1, at + 17).reduce((sum, count) => sum + count, 0);
  if (symbols > 256) throw new MalformedImage("a Huffman table is too large");
  return 17 + symbols;
}

/**
 * The data between two JPEG markers. `start` is the position of the marker's last 0xFF; `data` begins after the
 * length.
 */
export type Segment = { code: number; start: number; data: number; end: number };

/**
 * Finds the next marker. Like decoders, skips fill bytes before it, and bytes that belong to no segment: some cameras
 * pad segments. What is skipped is not kept.
 */
export function nextMarker(source: Source, at: number): Pick<Segment, "code" | "start"> {
  const { bytes } = source;
  let position = at;
  do {
    while (position < bytes.length && bytes[position] !== 0xff) position += 1;
    while (bytes[position] === 0xff) position += 1;
  } while (bytes[position] === 0 || isRestart(bytes[position]));
  const code = source.byte(position);
  // Rejects reserved markers, and a second start.
  if (code < 0xc0 || code === 0xd8) throw new MalformedImage(`marker ${code.toString(16)} is out of place`);
  return { code, start: position - 1 };
}

const isRestart = (code: number | undefined) => code !== undefined && code >= 0xd0 && code <= 0xd7;

export function readSegment(source: Source, code: number, start: number): Segment {
  const length = source.uint16(start + 2);
  const end = start + 2 + length;
  if (length < 2) throw new MalformedImage("a segment is shorter than its own length");
  source.reachTo(end);
  return { code, start, data: start + 4, end };
}

/** Whether a segment's data begins with this identifier and has at least the length of the identifier. */
export const holds = (source: Source, { data, end }: Segment, name: string, length: number) =>
  end - data >= length && source.has(data, name);

/** Returns a complete JPEG segment. */
export function segmentOf(code: number, head: Uint8Array, data: Uint8Array): Uint8Array {
  const length = 2 + head.length + data.length;
  const segment = new Uint8Array(2 + length);
  segment.set([0xff, code, length >> 8, length & 255]);
  segment.set(head, 4);
  segment.set(data, 4 + head.length);
  return segment;
}
