import { browser } from "./dom.ts";
import type { Environment } from "./environment.ts";
import { ApiError, type ReauthenticationDetails } from "./errors.ts";
import { errorOf, type Parts, read, type SendOptions, send, TIMEOUT_MS, targetOf } from "./http.ts";
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

/** Runs `attempt` with a token, and once more with the one that `renew` returns if it was rejected. */
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
 * Requests with the session's token. A request is repeated once with a new token if that is rejected, and once after a refusal
 * that `onReauthenticate` turned into a proof.
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
  /** Runs `attempt` with an access token, and once more with a new one if the first was rejected. */
  const authorized = async <T>(attempt: Attempt<T>): Promise<T> =>
    renewing(attempt, await session.token(), session.another);

  /** The last question for a proof, and the last one that was answered. */
  let asked: Promise<boolean> | undefined;
  let answered: typeof asked;

  /**
   * Returns the function that asks the application for a proof if the error of a request that begins now is a refusal for lack of
   * one. A question that is open, or was answered since the request began, is not asked again.
   */
  const keyed = createRepeats(environment, session, authorized, () => {
    const before = answered;
    return async (error) => {
      const { code, details } = Object(error) as ApiError;
      if (code !== "REAUTHENTICATION_REQUIRED") return;
      if (asked === before) asked = onReauthenticate?.(details as ReauthenticationDetails);
      const question = asked;
      try {
        return await question;
      } finally {
        answered = question;
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

  async function fetchWithToken(input: string | URL | Request, options?: RequestInit): Promise<Response> {
    const request = new Request(input as Request, options);
    const { method, url, headers: initial, signal, credentials } = request;
    const bytes = await request.arrayBuffer();
    const init = { method, headers: initial, signal, body: bytes.byteLength > 0 ? bytes : null };
    // The token must not be sent to another origin.
    if (new URL(url).origin !== new URL(baseUrl, browser.location?.origin).origin)
      return environment.fetch(url, { ...init, credentials });
    /** Throws a 401 or 403 with its response, for the repeats of `keyed`. */
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
