import { cleanImage, MalformedImage, UnsupportedImage } from "./clean.ts";
import type { CleaningResult } from "./clean-image.ts";

/**
 * Returns the cleaned image, or the reason of an error as a value, because errors lose their class between threads.
 */
export function cleanImageResult(bytes: Uint8Array): CleaningResult {
  try {
    return cleanImage(bytes);
  } catch (error) {
    if (error instanceof UnsupportedImage) return { refused: "unsupported", type: error.type };
    if (error instanceof MalformedImage) return { refused: "malformed" };
    throw error;
  }
}
