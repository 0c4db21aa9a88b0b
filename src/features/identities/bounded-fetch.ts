import type { Fetch } from "../../platform/tracing/tracing.ts";

/**
 * The maximum size of a sign-in provider's response in bytes, far larger than any metadata, key set, token or
 * claims.
 */
const MAX_BYTES = 1024 * 1024;

/**
 * Creates a `fetch` that limits the size of responses: a compromised or impersonated sign-in provider must not
 * exhaust the memory of the service.
 */
export const boundedFetch =
  (send: Fetch) =>
  async (url: string, options: RequestInit): Promise<Response> => {
    const response = await send(url, options);
    if (response.body === null) return response;
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    let size = 0;
    // Bytes are counted after decompression. The error ends the loop, which closes the connection.
    for await (const chunk of response.body) {
      size += chunk.length;
      if (size > MAX_BYTES) throw new Error(`An answer of more than ${MAX_BYTES} bytes`);
      chunks.push(chunk);
    }
    const { status, headers } = response;
    return new Response(new Blob(chunks), { status, headers });
  };
