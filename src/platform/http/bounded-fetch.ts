import type { Fetch } from "../tracing/tracing.ts";
import { send } from "./send.ts";

const STATUSES_WITHOUT_BODY = [204, 205, 304];

/**
 * Creates a `fetch` that limits everything that a server sends, for providers that are compromised or impersonated.
 * `maxBytes` counts all bytes of a response, before decompression. The body is read before the response is returned,
 * so `signal` limits the time for it too. Redirects are not followed.
 */
export const boundedFetch =
  (maxBytes: number): Fetch =>
  async (input, options) => {
    const request = new Request(input as Request, options);
    const response = await send({
      url: new URL(request.url),
      method: request.method,
      headers: { ...Object.fromEntries(request.headers), "accept-encoding": "identity" },
      body: request.body === null ? undefined : await request.bytes(),
      signal: options?.signal ?? request.signal,
      maxBytes,
    });
    const { status, body } = response;
    const pieces: Buffer[] = [];
    for await (const piece of body) pieces.push(piece);
    const encoding = response.headers["content-encoding"] ?? "identity";
    if (encoding !== "identity") throw new Error(`A response with the content encoding ${encoding}`);
    const headers = new Headers();
    for (const [name, value] of Object.entries(response.headers))
      for (const one of [value].flat()) if (one !== undefined) headers.append(name, one);
    return new Response(STATUSES_WITHOUT_BODY.includes(status) ? null : Buffer.concat(pieces), {
      status,
      headers,
    });
  };
