/**
 * A file as a response body that ignores `Range`. The runtime would apply the header to a file itself and send 206 or
 * 416 where log and metrics say 200; of a transformed stream it sends everything.
 */
export const ignoringRange = (
  file: ReadableStream<Uint8Array>,
  headers: Headers,
): ReadableStream<Uint8Array> =>
  headers.has("range") ? file.pipeThrough(new TransformStream<Uint8Array, Uint8Array>()) : file;
