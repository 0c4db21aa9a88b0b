import { createHash } from "node:crypto";

/**
 * Returns a digest of all bytes of the frames, tables and scans of a JPEG. It is for files that no installed
 * decoder supports, such as those of 12 bits. Finds the ends of scans by another algorithm than the service, so
 * that it does not repeat its mistakes.
 */
export function partsOf(bytes: Uint8Array): string {
  const digest = createHash("sha256");
  const text = Buffer.from(bytes).toString("latin1");
  // Matches a marker with its length and, for a scan header, the coded data after it.
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
