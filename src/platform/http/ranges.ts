/**
 * Wraps a file as a response body, so that the header `Range` is ignored. For a file itself, the runtime would
 * apply the header and send 206 or 416, while log and metrics say 200. A transformed stream is always sent
 * completely.
 */
export const ignoringRange = (
  file: ReadableStream<Uint8Array>,
  headers: Headers,
): ReadableStream<Uint8Array> =>
  headers.has("range") ? file.pipeThrough(new TransformStream<Uint8Array, Uint8Array>()) : file;
