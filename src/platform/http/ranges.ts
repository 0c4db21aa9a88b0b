/**
 * The bytes of a file as the body of an answer that is always whole. The runtime would cut a file to the `Range` that was
 * asked for by itself, and answer 206 or 416 where log and metrics say 200; of a plain stream it sends everything.
 */
export const wholeBody = (file: ReadableStream<Uint8Array>, headers: Headers): ReadableStream<Uint8Array> =>
  headers.has("range") ? file.pipeThrough(new TransformStream<Uint8Array, Uint8Array>()) : file;
