import { parseAccept } from "hono/utils/accept";

/** An encoding in which a file may lie beside itself, and the ending of that file's name. */
export const ENCODINGS = { br: ".br", gzip: ".gz", identity: "" } as const;
export type Encoding = keyof typeof ENCODINGS;

/** The most accepted of these encodings by `Accept-Encoding` (RFC 9110, 12.5.3); of equals the first. */
export function preferredEncoding(header: string | null, available: readonly Encoding[]): Encoding {
  if (header === null) return "identity";
  const quality = new Map<string, number>();
  for (const { type, q } of parseAccept(header)) quality.set(type.toLowerCase(), q);
  const other = quality.get("*");
  // What is not named is not wanted, but the file as it is may always be sent.
  const of = (encoding: Encoding) => quality.get(encoding) ?? other ?? (encoding === "identity" ? 0.0001 : 0);
  return available
    .filter((encoding) => of(encoding) > 0)
    .reduce<Encoding>((best, encoding) => {
      const isBetter = best === "identity" ? of(encoding) >= of(best) : of(encoding) > of(best);
      return isBetter ? encoding : best;
    }, "identity");
}
