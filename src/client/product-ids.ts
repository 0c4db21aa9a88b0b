import { bytesOf, idsOf } from "./claims.ts";

/** The namespace of URLs (RFC 9562), 6ba7b811-9dad-11d1-80b4-00c04fd430c8, packed as ids in a token are. */
const NAMESPACE = "a6e4EZ2tEdGAtADAT9QwyA";

/**
 * Returns the UUIDv5 of `record:key` in the namespace of URLs; in Python `uuid5(NAMESPACE_URL, f"{record}:{key}")`.
 * @example await idOf("inspection", 4711) // "64ac9270-bfd3-5652-938e-c99e5068badc"
 */
export async function idOf(record: string, key: string | number | bigint): Promise<string> {
  const name = new TextEncoder().encode(`${record}:${key}`);
  const digest = await crypto.subtle.digest("SHA-1", new Uint8Array([...bytesOf(NAMESPACE), ...name]));
  const bytes = new Uint8Array(digest, 0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return idsOf(bytes).join();
}
