import { createHmac, timingSafeEqual } from "node:crypto";

/** The tolerance for timestamps in both directions: the provider's clock may be ahead or behind. */
const TOLERANCE_SECONDS = 300;

/**
 * Whether the payment provider signed exactly these bytes, at most five minutes before or after now. The provider's
 * own package is not used: it decodes the body before it hashes it, and rejects only old timestamps.
 * @param header as `t=<seconds>,v1=<hexadecimal>[,v1=…]`; it has several signatures while the secret is being
 * rotated
 */
export function isSignatureValid(body: Uint8Array, header: string | null, secret: string): boolean {
  const parts = (header ?? "").split(",").map((part) => part.trim().split("=", 2));
  const [signedAt, ...more] = parts.flatMap(([name, value]) => (name === "t" ? [value ?? ""] : []));
  if (signedAt === undefined || more.length > 0 || !/^\d{1,12}$/.test(signedAt)) return false;
  if (Math.abs(Date.now() / 1000 - Number(signedAt)) > TOLERANCE_SECONDS) return false;
  const digest = createHmac("sha256", secret).update(`${signedAt}.`).update(body).digest();
  return parts.some(
    ([name, value = ""]) =>
      name === "v1" && /^[0-9a-f]{64}$/i.test(value) && timingSafeEqual(Buffer.from(value, "hex"), digest),
  );
}
