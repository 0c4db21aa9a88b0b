import { backoff, type Environment, pause } from "./environment.ts";
import { ApiError, ConnectionError } from "./errors.ts";
import type { Parts } from "./http.ts";
import type { Endpoint } from "./types.ts";

/** Whether an endpoint takes an `Idempotency-Key`; a test compares this with the document. */
export const takesKey = (endpoint: Endpoint) =>
  /^POST \/api\/(?!auth\/(?!organizations$)|profile|notifications|billing)/.test(endpoint);

const RETRIES = 3;

/** Whether the request may have failed only for a moment, or may have taken effect without a response. */
const isWorthRepeating = (error: unknown): error is ApiError | ConnectionError =>
  error instanceof ApiError
    ? error.code === "IDEMPOTENCY_KEY_IN_USE" || isGateway(error.status)
    : error instanceof ConnectionError && (error.status === null || isGateway(error.status));
const isGateway = (status: number) => status > 501 && status < 505;

/**
 * Sends a request; if its endpoint takes an `Idempotency-Key`, with one key for all attempts: after a failure of the
 * connection it is repeated, and still takes effect once.
 */
export async function repeated<T>(
  environment: Environment,
  endpoint: Endpoint,
  parts: Parts,
  attempt: (parts: Parts) => Promise<T>,
): Promise<T> {
  if (!takesKey(endpoint)) return attempt(parts);
  // Pages without TLS have no `randomUUID`.
  const newKey = () => crypto.randomUUID?.() ?? crypto.getRandomValues(new Uint32Array(4)).join("-");
  const { idempotencyKey = newKey(), retries = RETRIES, signal } = parts;
  const keyed = { ...parts, headers: { ...parts.headers, "idempotency-key": idempotencyKey } };
  for (let retry = 0; ; retry += 1)
    try {
      return await attempt(keyed);
    } catch (error) {
      if (retry >= retries || !isWorthRepeating(error)) throw error;
      const seconds = error instanceof ApiError ? (error.retryAfter ?? 0) : 0;
      // 0.5, 1, 2 seconds.
      await pause(environment, Math.max(backoff(environment, retry - 1), seconds * 1000), signal);
      if (signal?.aborted) throw signal.reason;
    }
}
