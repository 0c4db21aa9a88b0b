/**
 * The error for a file that has none of the four image types, regardless of its name. `type` is what it is instead;
 * null if that is not known.
 */
export class UnsupportedImage extends Error {
  constructor(readonly type: string | null) {
    super("Neither PNG, JPEG, WebP nor GIF");
  }
}

/** The error for a file that begins like one of the four image types, but that decoders cannot read. */
export class MalformedImage extends Error {
  constructor(readonly reason: string) {
    super(`The image is malformed: ${reason}`);
  }
}
