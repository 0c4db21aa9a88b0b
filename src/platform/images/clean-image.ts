/** A cleaned file with its size in pixels from the header: a JPEG's Orientation is not applied to it. */
export type CleanedImage = { bytes: Uint8Array; width: number; height: number };

export type CleanImage = CleanedImage & {
  contentType: "image/png" | "image/jpeg" | "image/webp" | "image/gif";
  extension: "png" | "jpg" | "webp" | "gif";
};

/** The result of the worker: the image, or the reason for an error. */
export type CleaningResult = CleanImage | { refused: "unsupported" | "malformed" };
