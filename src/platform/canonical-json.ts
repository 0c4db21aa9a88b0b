/**
 * Serializes a JSON value in the unique form of RFC 8785 (JSON Canonicalization Scheme), so that equal values have
 * equal digests: without spaces, keys sorted by their UTF-16 units, numbers and strings as JavaScript writes
 * them.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const object = value as Record<string, unknown>;
  const parts = Object.keys(object)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(object[key])}`);
  return `{${parts.join()}}`;
}
