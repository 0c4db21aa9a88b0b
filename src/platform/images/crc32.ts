/** Bytes that one step of the loop takes: each has a table of its own, so that the steps do not wait for each other. */
const STRIDE = 16;

/** tables[n * 256 + byte]: what a byte that n bytes follow does to the sum. */
const tables = makeTables();

/** The checksum of PNG and zip, of the bytes from `start` up to `end`. */
export function crc32(bytes: Uint8Array, start: number, end: number): number {
  const t = tables;
  const byte = (at: number) => bytes[at] as number;
  const table = (n: number, index: number) => t[n * 256 + index] as number;
  let crc = 0xffffffff;
  let at = start;
  for (; at + STRIDE <= end; at += STRIDE) {
    crc =
      table(15, byte(at) ^ (crc & 255)) ^
      table(14, byte(at + 1) ^ ((crc >>> 8) & 255)) ^
      table(13, byte(at + 2) ^ ((crc >>> 16) & 255)) ^
      table(12, byte(at + 3) ^ (crc >>> 24)) ^
      table(11, byte(at + 4)) ^
      table(10, byte(at + 5)) ^
      table(9, byte(at + 6)) ^
      table(8, byte(at + 7)) ^
      table(7, byte(at + 8)) ^
      table(6, byte(at + 9)) ^
      table(5, byte(at + 10)) ^
      table(4, byte(at + 11)) ^
      table(3, byte(at + 12)) ^
      table(2, byte(at + 13)) ^
      table(1, byte(at + 14)) ^
      table(0, byte(at + 15));
  }
  for (; at < end; at += 1) crc = table(0, (crc ^ byte(at)) & 255) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

function makeTables(): Int32Array {
  const made = new Int32Array(STRIDE * 256);
  for (let byte = 0; byte < 256; byte += 1) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    made[byte] = crc;
  }
  for (let index = 256; index < made.length; index += 1) {
    const before = made[index - 256] as number;
    made[index] = (made[before & 255] as number) ^ (before >>> 8);
  }
  return made;
}
