/** The error for a file that has none of the four image types, regardless of its name. */
export class UnsupportedImage extends Error {
  constructor() {
    super("Neither PNG, JPEG, WebP nor GIF");
  }
}

/** The error for a file that begins like one of the four image types, but that decoders cannot read. */
export class MalformedImage extends Error {
  constructor(readonly reason: string) {
    super(`The image is malformed: ${reason}`);
  }
}
