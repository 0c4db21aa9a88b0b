import { type CleanImage, cleanImage, MalformedImage, UnsupportedImage } from "#src/platform/images/clean";

/**
 * Checks the properties of cleaning for any input: it is rejected with one of the two errors, or cleaned to an image
 * that is hardly larger and does not change when it is cleaned again.
 * @returns whether the input was accepted as an image
 * @throws Error that names the violated property
 */
export function checkCleaning(bytes: Uint8Array): boolean {
  let once: CleanImage;
  try {
    once = cleanImage(bytes);
  } catch (error) {
    if (error instanceof MalformedImage || error instanceof UnsupportedImage) return false;
    throw error;
  }
  const again = cleanImage(once.bytes);
  if (Buffer.compare(once.bytes, again.bytes) !== 0) throw new Error("cleaning again changes it");
  if (again.bytes !== once.bytes) throw new Error("what is clean is copied");
  if (again.width !== once.width || again.height !== once.height || again.contentType !== once.contentType)
    throw new Error("cleaning again tells another size or type");
  if (!(once.width >= 1 && once.height >= 1)) throw new Error("it has no size");
  // A minimal Exif block may be longer than a truncated one, and each animation frame may need a padding byte.
  if (once.bytes.length > bytes.length * 2 + 64) throw new Error("it grew");
  return true;
}
