import type { Fetch } from "../tracing/tracing.ts";
import { type Incoming, type Outgoing, send } from "./send.ts";

const STATUSES_WITHOUT_BODY = [204, 205, 304];

/**
 * Finds the IP addresses for a URL to which requests may connect; undefined stands for what the system finds.
 * @throws if there are none, or requests must not go there
 */
export type FindAddresses = (url: URL) => Promise<(string | undefined)[]>;

/** How many addresses of a host are tried, each only if no connection to the one before was made. */
const MAX_ADDRESSES = 2;
const ANY: FindAddresses = async () => [undefined];

/**
 * Creates a `fetch` that limits everything that a server sends, for providers that are compromised or impersonated.
 * `maxBytes` counts all bytes of a response, before decompression. The body is read before the response is returned,
 * so `signal` limits the time for it too. Redirects are not followed. `findAddresses` limits where it connects to.
 */
export const boundedFetch =
  (maxBytes: number, findAddresses: FindAddresses = ANY): Fetch =>
  async (input, options) => {
    const request = new Request(input as Request, options);
    const signal = options?.signal ?? request.signal;
    const url = new URL(request.url);
    const response = await sendToFirst(await inTime(findAddresses(url), signal), {
      url,
      method: request.method,
      headers: { ...Object.fromEntries(request.headers), "accept-encoding": "identity" },
      body: request.body === null ? undefined : await request.bytes(),
      signal,
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

/** Sends a request to the first of the addresses that accepts a connection. */
async function sendToFirst(addresses: (string | undefined)[], request: Outgoing): Promise<Incoming> {
  let isConnected = false;
  const onConnect = () => {
    isConnected = true;
  };
  let failure: unknown = new Error("No address");
  for (const address of addresses.slice(0, MAX_ADDRESSES)) {
    try {
      return await send({ ...request, ...(address !== undefined && { address }), onConnect });
    } catch (error) {
      failure = error;
      if (isConnected || request.signal.aborted) break;
    }
  }
  throw failure;
}

/** Waits for work that cannot be ended. @throws the reason of `signal` */
async function inTime<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const late = Promise.withResolvers<never>();
  const end = () => late.reject(signal.reason);
  signal.addEventListener("abort", end);
  return Promise.race([work, late.promise]).finally(() => signal.removeEventListener("abort", end));
}
