import { createBearer } from "./bearer.ts";
import type { SetupEndpoint } from "./document.ts";
import { timers } from "./environment.ts";
import type { Call } from "./settle.ts";
import type { OptionalArguments, RequestOptions } from "./types.ts";

export {
  ApiError,
  type ApiErrorOf,
  ConnectionError,
  type FieldError,
  isApiError,
  type RequestError,
} from "./errors.ts";
export { settle } from "./settle.ts";
export type { SetupEndpoint };

/** The options of `createSetupClient`. */
export type SetupClientOptions = {
  /** The origin of the API, such as `https://api.example.com`; empty for the origin of the page. */
  readonly baseUrl: string;
  /** The token in the link that was mailed: `/sign-on-setup?token=setup_…`. */
  readonly token: string;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
};

/** A client for the holder of a setup link, who sets up the single sign-on of an organization without an account. */
export type SetupClient = {
  /**
   * Sends a request and returns the body of the response: `request("GET /api/auth/sign-on-setup")`. To run a test, open the `url`
   * of `POST /api/organization/connections/{id}/test`; `/auth/callback#tested=<id>` then has the id of its result.
   * @throws ApiError, `UNAUTHENTICATED` for a link that has ended; ConnectionError
   */
  readonly request: <E extends SetupEndpoint>(
    endpoint: E,
    ...options: OptionalArguments<RequestOptions<E>>
  ) => Call<E>;
};

/**
 * Creates the client of a setup link, for the endpoints that such links may call.
 * @throws nothing: failures are reported by the requests
 */
export function createSetupClient({
  baseUrl,
  token,
  fetch = globalThis.fetch,
}: SetupClientOptions): SetupClient {
  // A test sets a cookie that its callback needs, also if the API has another origin than the page.
  const withCookies = ((url: string, init: RequestInit) =>
    fetch(url, { ...init, credentials: "include" })) as typeof fetch;
  return { request: createBearer(timers, { baseUrl, token, fetch: withCookies }) } as SetupClient;
}
