const LITTLE_ENDIAN = 0x4949;
const BIG_ENDIAN = 0x4d4d;
const TIFF = 42;
const HEADER_LENGTH = 8;
const ENTRY_LENGTH = 12;
const ORIENTATION = 0x0112;
const SHORT = 3;

/**
 * Returns the Orientation in the TIFF data of an Exif block: 1 to 8, and 1 if there is no valid one. Like browsers,
 * skips invalid entries.
 */
export function orientationOf(tiff: Uint8Array): number {
  if (tiff.length < HEADER_LENGTH) return 1;
  const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.byteLength);
  const order = view.getUint16(0);
  const isLittleEndian = order === LITTLE_ENDIAN;
  if (!isLittleEndian && order !== BIG_ENDIAN) return 1;
  if (view.getUint16(2, isLittleEndian) !== TIFF) return 1;

  const directory = view.getUint32(4, isLittleEndian);
  if (directory + 2 > tiff.length) return 1;
  const entries = view.getUint16(directory, isLittleEndian);
  for (let index = 0; index < entries; index += 1) {
    const at = directory + 2 + index * ENTRY_LENGTH;
    if (at + ENTRY_LENGTH > tiff.length) return 1;
    if (view.getUint16(at, isLittleEndian) !== ORIENTATION) continue;
    const isOneShort =
      view.getUint16(at + 2, isLittleEndian) === SHORT && view.getUint32(at + 4, isLittleEndian) === 1;
    const value = view.getUint16(at + 8, isLittleEndian);
    if (isOneShort && value >= 1 && value <= 8) return value;
  }
  return 1;
}

/** Returns the TIFF data of an Exif block that contains only an Orientation. */
export function minimalTiff(orientation: number): Uint8Array {
  return Uint8Array.of(
    ...[0x4d, 0x4d, 0, TIFF, 0, 0, 0, HEADER_LENGTH],
    ...[0, 1],
    ...[ORIENTATION >> 8, ORIENTATION & 255, 0, SHORT, 0, 0, 0, 1, 0, orientation, 0, 0],
    ...[0, 0, 0, 0],
  );
}
