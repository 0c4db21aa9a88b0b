import { browser } from "./dom.ts";
import type { Environment } from "./environment.ts";
import { ApiError } from "./errors.ts";
import { type Parts, read, type SendOptions, send, TIMEOUT_MS, targetOf } from "./http.ts";
import { createLists } from "./lists.ts";
import { createRepeats } from "./repeats.ts";
import type { SessionKeeper } from "./session.ts";
import type { Call } from "./settle.ts";
import type { Endpoint, OptionalArguments, RequestOptions } from "./types.ts";

export type Requests = ReturnType<typeof createRequests>;

export const isUnauthenticated = (error: unknown) =>
  error instanceof ApiError && error.status === 401 && error.code === "UNAUTHENTICATED";

/** Requests with the session's token: if it is rejected, it is renewed and the request is repeated once. */
export function createRequests(
  environment: Environment,
  { baseUrl, timeoutMs = TIMEOUT_MS }: { baseUrl: string; timeoutMs?: number },
  session: SessionKeeper,
) {
  /** Runs `work` with an access token, and once more with a new one if the first was rejected. */
  async function authorized<T>(attempt: (token: string | null) => Promise<T>): Promise<T> {
    const token = await session.token();
    try {
      return await attempt(token);
    } catch (error) {
      if (token === null || !isUnauthenticated(error)) throw error;
      const other = await session.another(token);
      if (other === null) throw error;
      return attempt(other);
    }
  }

  const keyed = createRepeats(environment, session, authorized);

  /** Sends one request with this access token; a 401 is not handled here. */
  function once<T>(
    endpoint: Endpoint,
    parts: Parts,
    token: string | null,
    consume: (response: Response) => Promise<T>,
    options: SendOptions = {},
  ): Promise<T> {
    const target = targetOf(baseUrl, endpoint, parts, token);
    const body = parts.body === undefined ? undefined : JSON.stringify(parts.body);
    return send(environment, endpoint, target, body, { signal: parts.signal, ...options }, consume);
  }

  function request<E extends Endpoint>(
    endpoint: E,
    ...[options = {} as RequestOptions<E>]: OptionalArguments<RequestOptions<E>>
  ): Call<E> {
    const sending = { timeoutMs: (options as Parts).timeoutMs ?? timeoutMs };
    return keyed(
      endpoint,
      options,
      (parts) => (token) => once(endpoint, parts, token, read, sending),
    ) as Call<E>;
  }

  function raw<E extends Endpoint>(
    endpoint: E,
    ...[options = {} as RequestOptions<E>]: OptionalArguments<RequestOptions<E>>
  ): Promise<Response> {
    return keyed(
      endpoint,
      options,
      (parts) => (token) => once(endpoint, parts, token, async (response) => response),
    );
  }

  async function fetchWithToken(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    const request = new Request(input as Request, init);
    const { method, url, headers: initial, signal, credentials } = request;
    const bytes = await request.arrayBuffer();
    const body = bytes.byteLength > 0 ? bytes : null;
    // The token is not sent to another origin.
    if (new URL(url).origin !== new URL(baseUrl, browser.location?.origin).origin)
      return environment.fetch(url, { method, headers: initial, signal, body, credentials });
    const attempt = (token: string | null) => {
      const headers = new Headers(initial);
      if (token !== null) headers.set("authorization", `Bearer ${token}`);
      return environment.fetch(url, { method, headers, signal, body, credentials: "include" });
    };
    const token = await session.token();
    const response = await attempt(token);
    if (token === null || response.status !== 401) return response;
    const error: unknown = await response
      .clone()
      .json()
      .catch(() => null);
    const other =
      (error as { code?: unknown } | null)?.code === "UNAUTHENTICATED" ? await session.another(token) : null;
    return other === null ? response : attempt(other);
  }

  const lists = createLists(request as Parameters<typeof createLists>[0]);
  return { authorized, keyed, once, request, raw, fetch: fetchWithToken, ...lists };
}
