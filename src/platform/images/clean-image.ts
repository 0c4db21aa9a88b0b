/** A cleaned image file, with the width and height in its header. A JPEG's Orientation is not applied to them. */
export type CleanedImage = { bytes: Uint8Array; width: number; height: number };

export type CleanImage = CleanedImage & {
  contentType: "image/png" | "image/jpeg" | "image/webp" | "image/gif";
  extension: "png" | "jpg" | "webp" | "gif";
};

/** The worker's result: the cleaned image, or the reason why it was rejected. */
export type CleaningResult = CleanImage | { refused: "unsupported" | "malformed" };
