/** A cleaned file with its size in pixels as its header says: a JPEG's Orientation is not applied to it. */
export type CleanedImage = { bytes: Uint8Array; width: number; height: number };

export type CleanImage = CleanedImage & {
  contentType: "image/png" | "image/jpeg" | "image/webp" | "image/gif";
  extension: "png" | "jpg" | "webp" | "gif";
};

/** What the worker returns: the image, or why there is none. */
export type CleaningResult = CleanImage | { refused: "unsupported" | "malformed" };
