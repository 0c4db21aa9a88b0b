import { type CleanImage, cleanImage, MalformedImage, UnsupportedImage } from "#src/platform/images/clean";

/**
 * Properties for any input: it is rejected in one of the two ways, or cleaned to an image that does not change when it is
 * cleaned again, and that is hardly longer.
 * @returns whether it was an image
 * @throws Error with the violated property
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
  // The minimal Exif may be longer than a cut one was; each part of an animation may want for its padding.
  if (once.bytes.length > bytes.length * 2 + 64) throw new Error("it grew");
  return true;
}
