import { crc32, inflateRawSync } from "node:zlib";

const LOCAL_HEADER = 0x04034b50;
const ENTRY = 0x02014b50;
const END = 0x06054b50;

/** Returns the files of a ZIP archive by name, without the service's library; throws if the archive is incomplete. */
export function unzip(bytes: Uint8Array): Record<string, string> {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = view.length - 22;
  if (end < 0 || view.readUInt32LE(end) !== END) throw new Error("The archive has no end");
  const files: Record<string, string> = {};
  let at = view.readUInt32LE(end + 16);
  for (let count = view.readUInt16LE(end + 10); count > 0; count -= 1) {
    if (view.readUInt32LE(at) !== ENTRY) throw new Error("An entry is missing");
    const [crc, packed, size] = [16, 20, 24].map((offset) => view.readUInt32LE(at + offset)) as [
      number,
      number,
      number,
    ];
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) =>
      view.readUInt16LE(at + offset),
    ) as [number, number, number];
    const name = view.toString("utf8", at + 46, at + 46 + nameLength);
    const local = view.readUInt32LE(at + 42);
    if (view.readUInt32LE(local) !== LOCAL_HEADER) throw new Error(`${name} is missing`);
    const start = local + 30 + view.readUInt16LE(local + 26) + view.readUInt16LE(local + 28);
    const content = inflateRawSync(view.subarray(start, start + packed));
    if (content.length !== size || crc32(content) !== crc) throw new Error(`${name} is damaged`);
    if (name in files) throw new Error(`${name} is there twice`);
    files[name] = content.toString("utf8");
    at += 46 + nameLength + extraLength + commentLength;
  }
  return files;
}
