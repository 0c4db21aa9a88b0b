import type { Fetch } from "../tracing/tracing.ts";

/**
 * Like `boundedFetch`, for runtimes whose connections have no socket: counts the bytes of the body after
 * decompression. There the runtime parses informational responses and headers outside of JavaScript.
 */
export const bodyBoundedFetch =
  (maxBytes: number, send: Fetch = fetch): Fetch =>
  async (input, options) => {
    const response = await send(input, options);
    if (response.body === null) return response;
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    let size = 0;
    // The error ends the loop, which closes the connection.
    for await (const piece of response.body) {
      size += piece.length;
      if (size > maxBytes) throw new Error("The response is too large");
      pieces.push(piece);
    }
    const { status, headers } = response;
    return new Response(new Blob(pieces), { status, headers });
  };
