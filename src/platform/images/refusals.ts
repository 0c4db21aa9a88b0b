/** The bytes are none of the four types, whatever their name says. */
export class UnsupportedImage extends Error {
  constructor() {
    super("Neither PNG, JPEG, WebP nor GIF");
  }
}

/** The bytes begin like one of the four types and go on in a way that its decoders call broken. */
export class MalformedImage extends Error {
  constructor(readonly reason: string) {
    super(`The image is malformed: ${reason}`);
  }
}
