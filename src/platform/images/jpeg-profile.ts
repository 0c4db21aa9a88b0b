import { cleanProfile } from "./icc.ts";
import { EOI, holds, nextMarker, readSegment, type Segment, SOS, segmentOf } from "./jpeg-segments.ts";
import type { Source } from "./source.ts";

export const APP2 = 0xe2;
const NAME = "ICC_PROFILE\0";
/** The length of the name, of the part's number and of the number of parts. */
const HEADER_LENGTH = NAME.length + 2;
/** The maximum length of a part: what a segment can hold beside its own length and the header. */
const MAX_PART = 0xffff - 2 - HEADER_LENGTH;

/** The segments of a profile that stay, by their position, or the segments that replace them all. */
export type JpegProfile = { kept: Set<number>; replaced: Uint8Array[] };

/** Whether a segment is a part of a profile; browsers skip an empty one. */
export const isOfProfile = (source: Source, segment: Segment) =>
  segment.code === APP2 && holds(source, segment, NAME, HEADER_LENGTH + 1);

/**
 * Reads the ICC profile whose first segment is at `start`, and cleans it. Like browsers, ignores segments after the last missing
 * part and after the first scan header, and a profile with missing or repeated parts.
 * @throws MalformedImage
 */
export function readJpegProfile(source: Source, start: number): JpegProfile {
  const parts = new Map<number, Segment>();
  let count: number | null = null;
  for (let at = start; ; ) {
    const marker = nextMarker(source, at);
    if (marker.code === SOS || marker.code === EOI) break;
    const segment = readSegment(source, marker.code, marker.start);
    at = segment.end;
    if (!isOfProfile(source, segment)) continue;
    const [number, of] = [source.byte(numberAt(segment)), source.byte(numberAt(segment) + 1)];
    count ??= of;
    if (of !== count || number < 1 || number > count || parts.has(number))
      return { kept: new Set(), replaced: [] };
    parts.set(number, segment);
    if (parts.size === count) break;
  }
  return clean(
    source,
    [...parts].sort(([one], [other]) => one - other).map(([, part]) => part),
    count,
  );
}

function clean(source: Source, parts: Segment[], count: number | null): JpegProfile {
  if (parts.length !== count) return { kept: new Set(), replaced: [] };
  const contents = parts.map(({ data, end }) => source.bytes.subarray(data + HEADER_LENGTH, end));
  const profile = Uint8Array.from(Buffer.concat(contents));
  const cleaned = cleanProfile(profile);
  if (cleaned === profile) return { kept: new Set(parts.map(({ start }) => start)), replaced: [] };
  return { kept: new Set(), replaced: cleaned === null ? [] : segmentsOf(cleaned) };
}

function segmentsOf(profile: Uint8Array): Uint8Array[] {
  const count = Math.ceil(profile.length / MAX_PART);
  const name = new TextEncoder().encode(NAME);
  return Array.from({ length: count }, (_, index) => {
    const part = profile.subarray(index * MAX_PART, (index + 1) * MAX_PART);
    return segmentOf(APP2, Uint8Array.of(...name, index + 1, count), part);
  });
}

const numberAt = ({ data }: Segment) => data + NAME.length;
