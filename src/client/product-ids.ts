import { idsOf } from "./claims.ts";

/** The namespace of URLs (RFC 9562), 6ba7b811-9dad-11d1-80b4-00c04fd430c8. */
const NAMESPACE = [
  0x6b, 0xa7, 0xb8, 0x11, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8,
];

/**
 * Returns the UUIDv5 of `record:key` in the namespace of URLs; in Python `uuid5(NAMESPACE_URL, f"{record}:{key}")`.
 * @example await idOf("inspection", 4711) // "64ac9270-bfd3-5652-938e-c99e5068badc"
 */
export async function idOf(record: string, key: string | number | bigint): Promise<string> {
  const name = new TextEncoder().encode(`${record}:${key}`);
  const digest = await crypto.subtle.digest("SHA-1", new Uint8Array([...NAMESPACE, ...name]));
  const bytes = new Uint8Array(digest, 0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return idsOf(bytes).join();
}
