import { browser } from "./dom.ts";
import type { Environment } from "./environment.ts";
import { ApiError, type ReauthenticationDetails } from "./errors.ts";
import { errorOf, type Parts, read, type SendOptions, send, TIMEOUT_MS } from "./http.ts";
import { createLists } from "./lists.ts";
import { type Attempt, createRepeats } from "./repeats.ts";
import type { SessionKeeper } from "./session.ts";
import type { Call } from "./settle.ts";
import type { Endpoint, OptionalArguments, RequestOptions } from "./types.ts";

export type Requests = ReturnType<typeof createRequests>;

/**
 * Whether a refused request may succeed with a new access token. A switch of the organization also needs the refresh cookie,
 * which an interrupted refresh may have replaced.
 */
export const isUnauthenticated = (error: unknown) =>
  error instanceof ApiError && /^(UNAUTHENTICATED|INVALID_REFRESH_TOKEN)$/.test(error.code);

/** Runs `attempt` with a token. If the token is rejected, runs it once more with the token that `renew` returns. */
export async function renewing<T>(
  attempt: Attempt<T>,
  token: string | null,
  renew: (used: string) => Promise<string | null>,
): Promise<T> {
  try {
    return await attempt(token);
  } catch (error) {
    const other = token !== null && isUnauthenticated(error) ? await renew(token) : null;
    if (other === null) throw error;
    return attempt(other);
  }
}

/**
 * Creates the functions that send requests with the session's token. If the API rejects the token, a request is
 * repeated once with a new one. If the API requires a more recent proof of identity, the request is repeated once
 * after `onReauthenticate` has returned true.
 */
export function createRequests(
  environment: Environment,
  {
    baseUrl,
    timeoutMs = TIMEOUT_MS,
    onReauthenticate,
  }: {
    baseUrl: string;
    timeoutMs?: number;
    onReauthenticate?: (details: ReauthenticationDetails) => Promise<boolean>;
  },
  session: SessionKeeper,
) {
  /** Runs `attempt` with an access token. If the token is rejected, runs it once more with a new one. */
  const authorized = async <T>(attempt: Attempt<T>): Promise<T> =>
    renewing(attempt, await session.token(), session.another);

  /** The last call of `onReauthenticate`, and the last call that has ended. */
  let pending: Promise<boolean> | undefined;
  let ended: typeof pending;

  /**
   * Called when a request begins. The returned function calls `onReauthenticate` if the error of the request says
   * that the last proof of identity is too old. A call that is pending, or that has ended since the request began, is
   * shared instead of repeated.
   */
  const keyed = createRepeats(environment, session, authorized, () => {
    const before = ended;
    return async (error) => {
      const { code, details } = Object(error) as ApiError;
      if (code !== "REAUTHENTICATION_REQUIRED") return;
      if (pending === before) pending = onReauthenticate?.(details as ReauthenticationDetails);
      const call = pending;
      try {
        return await call;
      } finally {
        ended = call;
      }
    };
  });

  /** Sends one request with this access token. The caller handles a 401. */
  function once<T>(
    endpoint: Endpoint,
    parts: Parts,
    token: string | null,
    consume: (response: Response) => Promise<T>,
    options: SendOptions = {},
  ): Promise<T> {
    return send(environment, { baseUrl, endpoint, parts, token }, options, consume);
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

  async function fetchWithToken(input: string | URL | Request, options?: RequestInit): Promise<Response> {
    const request = new Request(input as Request, options);
    const { method, url, headers: initial, signal, credentials } = request;
    const bytes = await request.arrayBuffer();
    const init = { method, headers: initial, signal, body: bytes.byteLength > 0 ? bytes : null };
    // The token must not be sent to another origin.
    if (new URL(url).origin !== new URL(baseUrl, browser.location?.origin).origin)
      return environment.fetch(url, { ...init, credentials });
    /**
     * Throws an error with the response for 401 and 403, so that `keyed` renews the token or asks for a proof of
     * identity.
     */
    async function attempt(token: string | null): Promise<Response> {
      const headers = new Headers(initial);
      if (token !== null) headers.set("authorization", `Bearer ${token}`);
      const response = await environment.fetch(url, { ...init, headers, credentials: "include" });
      const { status } = response;
      if (status !== 401 && status !== 403) return response;
      const error = errorOf(url as Endpoint, status, await response.clone().text(), null);
      throw Object.assign(error, { response });
    }
    return keyed(url as Endpoint, {}, () => attempt).catch(
      (error: { response?: Response }) => error.response ?? Promise.reject(error),
    );
  }

  const lists = createLists(request as Parameters<typeof createLists>[0]);
  return { authorized, keyed, once, request, raw, fetch: fetchWithToken, ...lists };
}
