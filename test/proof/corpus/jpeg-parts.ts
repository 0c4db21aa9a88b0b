import { createHash } from "node:crypto";

/**
 * A digest of a JPEG's frames, tables and scans to the last byte, for those that no decoder at hand knows, such as ones
 * of 12 bits. Looks for scans' ends in its own way, so that it does not repeat a mistake of what it checks.
 */
export function partsOf(bytes: Uint8Array): string {
  const digest = createHash("sha256");
  const text = Buffer.from(bytes).toString("latin1");
  // A marker with its length and, of a scan header, the coded data behind it.
  const marker = /\xff+([\xc0-\xfe])(?:(..)|$)/gs;
  const coded = /(?:[^\xff]|\xff+[\0\xd0-\xd7])*/gy;
  for (let at = 2; ; ) {
    marker.lastIndex = at;
    const [whole, code = "\xd9", size = ""] = marker.exec(text) ?? [];
    if (whole === undefined || code === "\xd9") return digest.digest("hex");
    const start = marker.lastIndex - size.length;
    at = start + Buffer.from(size, "latin1").readUInt16BE();
    if (code === "\xda") {
      coded.lastIndex = at;
      coded.exec(text);
      at = coded.lastIndex;
    }
    if (code < "\xe0") digest.update(code).update(text.slice(start, at), "latin1");
  }
}
