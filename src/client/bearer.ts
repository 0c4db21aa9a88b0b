import type { Environment } from "./environment.ts";
import { ApiError, ConnectionError } from "./errors.ts";
import { type Parts, read, send, TIMEOUT_MS } from "./http.ts";
import { type Attempt, createRepeats, isWorthRepeating } from "./repeats.ts";
import type { Endpoint } from "./types.ts";

const MAX_WAIT_SECONDS = 60;

/**
 * Whether a failed request may be repeated: the API rejected it temporarily, or its idempotency key makes repeating
 * safe.
 */
export function isTemporary(endpoint: Endpoint, error: unknown): boolean {
  if (!(error instanceof ApiError || error instanceof ConnectionError)) return false;
  if (error instanceof ApiError && (error.retryAfter ?? 0) > MAX_WAIT_SECONDS) return false;
  // A POST without an idempotency key is not repeated, because it may have taken effect although the response was
  // 503.
  const isRefused = error.status === 429 || (error.status === 503 && !endpoint.startsWith("POST"));
  return isRefused || isWorthRepeating(endpoint, error);
}

export type Bearer = {
  /** The origin of the API. */
  readonly baseUrl: string;
  /** The credential of every request, or what runs each request with one; null for public requests. */
  readonly token: string | null | (<T>(attempt: Attempt<T>) => Promise<T>);
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Whether a failed request may be repeated. */
  readonly isTemporary?: typeof isTemporary;
};

/**
 * Creates the function that sends requests with a bearer token and without cookies, and repeats those that failed
 * temporarily. A request has a JSON body, or a form with a timeout of its own.
 */
export function createBearer(
  timers: Pick<Environment, "after" | "random">,
  { token, fetch = globalThis.fetch, ...options }: Bearer,
) {
  const baseUrl = options.baseUrl.replace(/\/+$/, "");
  const environment = {
    ...timers,
    // Cookies are not sent, because a bearer needs none. The option `credentials` is omitted, because some runtimes
    // reject it.
    fetch: (url: string, { credentials: _, ...init }: RequestInit) => fetch(url, init),
  };
  const repeated = createRepeats(
    environment,
    { get: () => ({ status: "signed-out" }) },
    typeof token === "function" ? token : (attempt) => attempt(token),
    undefined,
    options.isTemporary ?? isTemporary,
  );
  return (
    endpoint: Endpoint,
    parts: Parts = {},
    form?: FormData,
    timeoutMs = parts.timeoutMs ?? TIMEOUT_MS,
  ): Promise<unknown> =>
    repeated(
      endpoint,
      parts,
      (parts) => (token) => send(environment, { baseUrl, endpoint, parts, token, form }, { timeoutMs }, read),
    );
}
