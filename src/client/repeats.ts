import type { Claims } from "./claims.ts";
import { backoff, type Environment, pause } from "./environment.ts";
import { ApiError, ConnectionError } from "./errors.ts";
import type { Parts } from "./http.ts";
import type { Session } from "./session.ts";
import type { Endpoint } from "./types.ts";

/** Whether an endpoint accepts an `Idempotency-Key`. A test compares this with the OpenAPI document. */
export const takesKey = (endpoint: Endpoint) =>
  /^POST \/api\/(?!o?auth\/(?!organizations$)|profile|notifications|billing|product\/check|organization\/.*\/(verify|preview|test)$)/.test(
    endpoint,
  );

/**
 * Whether a failed request may be repeated: it has an idempotency key, and it failed temporarily or got no
 * response.
 */
export const isWorthRepeating = (endpoint: Endpoint, error: unknown): boolean =>
  takesKey(endpoint) &&
  (error instanceof ApiError || error instanceof ConnectionError) &&
  (error.code === "IDEMPOTENCY_KEY_IN_USE" ||
    error.status === null ||
    (error.status > 501 && error.status < 505));

/** Sends a request with an access token. */
export type Attempt<T> = (token: string | null) => Promise<T>;

/**
 * Creates the function that sends a request. If its endpoint accepts an `Idempotency-Key`, all attempts have the same
 * key: after a failure of the connection the request is repeated, and still takes effect once. It is not repeated for
 * another user or in another organization, where it would be a different request.
 * @param authorized runs an attempt with the session's token
 * @param proving called when a request begins; the returned function gets the error of the request, asks for a proof
 * of identity if the request needs one, and returns whether to repeat the request once
 */
export function createRepeats(
  environment: Pick<Environment, "after" | "random">,
  session: { readonly get: () => Session },
  authorized: <T>(attempt: Attempt<T>) => Promise<T>,
  proving?: () => (error: unknown) => Promise<boolean | undefined>,
  isTemporary = isWorthRepeating,
) {
  return async <T>(endpoint: Endpoint, parts: Parts, attempt: (parts: Parts) => Attempt<T>): Promise<T> => {
    const { retries = 3, signal } = parts;
    const idempotencyKey =
      parts.idempotencyKey ??
      // `randomUUID` is not available on pages without TLS.
      crypto.randomUUID?.() ??
      crypto.getRandomValues(new Uint32Array(4)).join("-");
    const send = attempt(
      takesKey(endpoint)
        ? { ...parts, headers: { ...parts.headers, "idempotency-key": idempotencyKey } }
        : parts,
    );
    let before: string | undefined;
    let failure: unknown;
    const guarded: Attempt<T> = (token) => {
      const { userId, organization } = session.get() as Partial<Claims>;
      const now = `${userId} ${organization?.id}`;
      if (failure && before && before !== now) throw failure;
      before = now;
      return send(token);
    };
    let ask = proving?.();
    for (let retry = 0; ; retry += 1)
      try {
        return await authorized(guarded);
      } catch (error) {
        failure = error;
        if (await ask?.(error)) {
          ask = undefined;
          continue;
        }
        if (retry >= retries || !isTemporary(endpoint, error)) throw error;
        const seconds = (error as Partial<ApiError>).retryAfter ?? 0;
        // The pauses before retries: 0.5, 1, 2 seconds.
        await pause(environment, Math.max(backoff(environment, retry - 1), seconds * 1000), signal);
      }
  };
}
