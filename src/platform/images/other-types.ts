import type { Source } from "./source.ts";

/** The beginnings of files that are often sent instead of an image that the service accepts. */
const BEGINNINGS: [name: string, ...beginnings: string[]][] = [
  ["TIFF", "II*\0", "MM\0*", "II+\0", "MM\0+"],
  ["JPEG XL", "\xff\x0a", "\0\0\0\x0cJXL "],
  ["JPEG 2000", "\0\0\0\x0cjP  ", "\xff\x4f\xff\x51"],
  ["PDF", "%PDF-"],
  ["PSD", "8BPS"],
  ["ICO", "\0\0\x01\0"],
  ["ZIP", "PK\x03\x04"],
  ["BMP", "BM"],
];
/** The brands of files in boxes (ISO/IEC 14496-12). Of several names that fit, the first one counts. */
const BRANDS: [name: string, brands: RegExp][] = [
  ["AVIF", /avif|avis/],
  ["HEIC", /heic|heix|heim|heis|hevc|hevx|hevm|hevs/],
  ["HEIF", /mif1|msf1|mif2/],
  ["video", /^(?!crx )/],
];
const MAX_BRANDS = 128;
const MAX_TEXT = 1024;

/** Returns what a file that is none of the accepted images is, by its first bytes; null if that is not known. */
export function otherTypeOf(source: Source): string | null {
  if (source.has(4, "ftyp")) {
    const end = Math.min(source.uint32(0), source.length, MAX_BRANDS);
    const brands = end > 8 ? source.text(8, end - 8) : "";
    return BRANDS.find(([, pattern]) => pattern.test(brands))?.[0] ?? null;
  }
  const known = BEGINNINGS.find(([, ...beginnings]) => beginnings.some((text) => source.has(0, text)));
  if (known !== undefined) return known[0];
  const text = source.text(0, Math.min(source.length, MAX_TEXT));
  return /^(?:\xef\xbb\xbf)?\s*</.test(text) && /<svg[\s>]/i.test(text) && !/<html/i.test(text)
    ? "SVG"
    : null;
}
