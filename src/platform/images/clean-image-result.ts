import { cleanImage, MalformedImage, UnsupportedImage } from "./clean.ts";
import type { CleaningResult } from "./clean-image.ts";

/** The cleaned image, or why there is none, as a value: a worker's errors lose their class on the way. */
export function cleanImageResult(bytes: Uint8Array): CleaningResult {
  try {
    return cleanImage(bytes);
  } catch (error) {
    if (error instanceof UnsupportedImage) return { refused: "unsupported" };
    if (error instanceof MalformedImage) return { refused: "malformed" };
    throw error;
  }
}
