/** The content is none of the four types, regardless of the file's name. */
export class UnsupportedImage extends Error {
  constructor() {
    super("Neither PNG, JPEG, WebP nor GIF");
  }
}

/** The content begins like one of the four types, but decoders cannot read it. */
export class MalformedImage extends Error {
  constructor(readonly reason: string) {
    super(`The image is malformed: ${reason}`);
  }
}
