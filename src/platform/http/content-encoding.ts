import { parseAccept } from "hono/utils/accept";

/** A content encoding for which a precompressed copy of a file may exist, with the suffix of the copy's name. */
export const ENCODINGS = { br: ".br", gzip: ".gz", identity: "" } as const;
export type Encoding = keyof typeof ENCODINGS;

/**
 * Returns the encoding that `Accept-Encoding` prefers (RFC 9110, 12.5.3). If several have the same weight, returns
 * the first of them.
 */
export function preferredEncoding(header: string | null, available: readonly Encoding[]): Encoding {
  if (header === null) return "identity";
  const quality = new Map<string, number>();
  for (const { type, q } of parseAccept(header)) quality.set(type.toLowerCase(), q);
  const other = quality.get("*");
  // An encoding that the header does not contain is not acceptable, but the unencoded file may always be sent.
  const of = (encoding: Encoding) => quality.get(encoding) ?? other ?? (encoding === "identity" ? 0.0001 : 0);
  return available
    .filter((encoding) => of(encoding) > 0)
    .reduce<Encoding>((best, encoding) => {
      const isBetter = best === "identity" ? of(encoding) >= of(best) : of(encoding) > of(best);
      return isBetter ? encoding : best;
    }, "identity");
}
