/** A cleaned image file, with the width and height in its header. An Orientation is not applied to them. */
export type CleanedImage = { bytes: Uint8Array; width: number; height: number };

export type CleanImage = CleanedImage & {
  contentType: "image/png" | "image/jpeg" | "image/webp" | "image/gif";
  extension: "png" | "jpg" | "webp" | "gif";
};

/** The worker's result: the cleaned image, or the reason why it was rejected. */
export type CleaningResult = CleanImage | Refusal;

/** `type` is what an unsupported file is, if that is known. */
export type Refusal = { refused: "unsupported"; type: string | null } | { refused: "malformed" };
