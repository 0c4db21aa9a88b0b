/** The length in bytes of a number of the curve P-256, the only curve that the service accepts. */
const LENGTH = 32;
const INTEGER = 0x02;
const SEQUENCE = 0x30;

/**
 * Converts an ECDSA signature from DER, a sequence of the integers r and s, to the form of WebCrypto. In the edge
 * bundle it replaces the function of the same name in `@simplewebauthn/server`, whose ASN.1 parser would add 37 KB
 * gzipped.
 * @throws for any other bytes
 */
export function unwrapEC2Signature(signature: Uint8Array): Uint8Array {
  if (signature[0] !== SEQUENCE || signature[1] !== signature.length - 2) throw new Error("No sequence");
  const r = integerAt(signature, 2);
  const s = integerAt(signature, r.end);
  if (s.end !== signature.length) throw new Error("More than two integers");
  const raw = new Uint8Array(2 * LENGTH);
  raw.set(r.digits, LENGTH - r.digits.length);
  raw.set(s.digits, 2 * LENGTH - s.digits.length);
  return raw;
}

function integerAt(der: Uint8Array, start: number): { digits: Uint8Array; end: number } {
  const length = der[start + 1] ?? 0;
  const end = start + 2 + length;
  const bytes = der.subarray(start + 2, end);
  if (der[start] !== INTEGER || length === 0 || bytes.length < length) throw new Error("No integer");
  if (length <= LENGTH) return { digits: bytes, end };
  // A leading zero byte marks a number as positive although its first bit is set.
  if (length > LENGTH + 1 || bytes[0] !== 0 || (bytes[1] ?? 0) < 0x80) throw new Error("Too long an integer");
  return { digits: bytes.subarray(1), end };
}
