import { deflateSync, inflateSync } from "node:zlib";
import { cleanProfile } from "./icc.ts";

const MAX_NAME = 79;
const DEFLATE = 0;
/** The maximum length of an uncompressed profile. The largest ones, of printers, have about 3 MB. */
const MAX_PROFILE = 4 * 1024 * 1024;
/** The name of a profile that was changed. The former one may be that of a display, and so of its owner. */
const NAME = new TextEncoder().encode("ICC profile");

/**
 * Cleans the data of an iCCP chunk: the profile's name, a zero, the method, and the compressed profile.
 * @returns the given data if there was nothing to remove; null if it holds no profile
 */
export function cleanIccp(data: Uint8Array): Uint8Array | null {
  const nameLength = data.indexOf(0);
  // Chromium reads a name that is one character too long, and ignores the profile of a longer one.
  if (nameLength < 1 || nameLength > MAX_NAME + 1 || data[nameLength + 1] !== DEFLATE) return null;
  const compressed = data.subarray(nameLength + 2);
  const inflated = inflate(compressed);
  const profile = inflated && cleanProfile(inflated.bytes);
  if (inflated === null || profile === null) return null;
  const isWhole = inflated.used === compressed.length && nameLength <= MAX_NAME;
  if (profile === inflated.bytes && isWhole) return data;
  return Uint8Array.from(Buffer.concat([NAME, Uint8Array.of(0, DEFLATE), deflateSync(profile)]));
}

/** Returns the uncompressed bytes, and how many compressed ones they took; null if that fails or takes too much memory. */
function inflate(compressed: Uint8Array): { bytes: Uint8Array; used: number } | null {
  try {
    const options = { maxOutputLength: MAX_PROFILE, info: true };
    const { buffer, engine } = inflateSync(compressed, options) as unknown as Inflated;
    return { bytes: buffer, used: engine.bytesWritten };
  } catch {
    return null;
  }
}

type Inflated = { buffer: Uint8Array; engine: { bytesWritten: number } };
