import { grants } from "./claims.ts";
import type { Environment } from "./environment.ts";
import type { ReauthenticationDetails } from "./errors.ts";
import { read, TIMEOUT_MS } from "./http.ts";
import type { ListMethods } from "./lists.ts";
import { createRequests } from "./requests.ts";
import { createSession, type Session } from "./session.ts";
import type { Call } from "./settle.ts";
import { createSignIn } from "./sign-in.ts";
import type { SignInMethods } from "./sign-in-methods.ts";
import { createStreams, type NotificationStream, type StreamOptions } from "./streams.ts";
import type { SignedOutReason } from "./tabs.ts";
import type {
  Endpoint,
  OptionalArguments,
  PermissionName,
  RequestOptions,
  Result,
  Schemas,
  UploadEndpoint,
  UploadOptions,
} from "./types.ts";
import { createUploads } from "./uploads.ts";

/** The options of `createClient`. */
export type ClientOptions = {
  /** The origin of the API, such as `https://api.example.com`; empty for the origin of the page. */
  readonly baseUrl: string;
  /** Replaces the global `fetch`. Outside of browsers, the replacement must keep cookies. */
  readonly fetch?: typeof globalThis.fetch;
  /**
   * The timeout of a request, after which it rejects with `ConnectionError` and `TIMEOUT`. Downloads must begin within it;
   * `raw`, `fetch`, streams and uploads are not limited by it. Default: 30,000.
   */
  readonly timeoutMs?: number;
  /**
   * Whether to store in localStorage that a user is signed in (never a token). A page then requests a session on
   * loading only if a user was signed in; otherwise browsers would show a 401 in their developer console.
   * `refresh()` always requests one. Default: false, every page requests a session.
   */
  readonly remembers?: boolean;
  /**
   * Called when a session has ended, in this tab or another one. With `remembers`, also called on loading if the
   * session ended earlier.
   */
  readonly onSignedOut?: (reason: SignedOutReason) => void;
  /**
   * Called when a request is refused because the last proof of identity is too old (`REAUTHENTICATION_REQUIRED`), with the
   * methods of the account. Show a dialog that sends `POST /api/profile/reauthenticate` or calls `passkeys.reauthenticate`; if
   * it resolves with true, the request is repeated once, otherwise it rejects as refused. Concurrent refusals share one call.
   */
  readonly onReauthenticate?: (details: ReauthenticationDetails) => Promise<boolean>;
  /**
   * Called when a session begins without an active organization, for each organization of the user in which it may not act:
   * `blockedBy` says what is missing, and `connectionId` by which connection to sign in.
   */
  readonly onBlocked?: (organization: Awaited<Result<"GET /api/auth/organizations">>[number]) => void;
};

/**
 * A client of the API. Every method that sends a request rejects with `ApiError` if the API returns an error, with
 * `ConnectionError` if no response of the API arrives, and with the signal's reason if the caller aborts.
 */
export type Client = ListMethods &
  SignInMethods & {
    /** The session as an observable value: who is signed in. It fits React's `useSyncExternalStore`. */
    readonly session: {
      /** Returns the current session; the same object until something in it changes. Throws nothing. */
      readonly get: () => Session;
      /** Calls the listener after each change. Returns the function that unsubscribes. Throws nothing. */
      readonly subscribe: (listener: () => void) => () => void;
    };

    /**
     * Whether the session holds a permission: true, false, or `"perhaps"` (truthy in an `if`) if the access token had
     * no room for all units. Use it only to show and hide elements: the API authorizes every request itself. Throws
     * nothing.
     * @param unitId checks the permission in that unit; null: for the whole organization; omitted: in any unit or the
     * whole organization
     */
    readonly can: (permission: PermissionName, unitId?: string | null) => boolean | "perhaps";

    /**
     * Returns what pages before sign-in need to know: who may register, which sign-in providers there are, and whether a bot
     * check is needed. Sends no token, so browsers may keep the response for a minute.
     * @throws ApiError, ConnectionError
     */
    readonly settings: () => Call<"GET /api/auth/settings">;

    /** What the page `/authorize` does: an app opens it to ask for access (OAuth 2.1). */
    readonly authorizations: {
      /**
       * Reads what an app asks for, from the query of the page's address as it is, without the question mark.
       * @throws ApiError `INVALID_AUTHORIZATION_REQUEST`: show its sentence, and a button for `details.redirectTo` if that is not null
       */
      readonly begin: (query: string) => Call<"POST /api/oauth/authorizations">;
      /**
       * Allows the app what the person chose. Go to `redirectTo` of the result with `location.replace`. Needs a recent proof of
       * identity: see `onReauthenticate`.
       * @throws ApiError `CLIENT_NOT_APPROVED`, `INVALID_OR_EXPIRED_TOKEN` …; ConnectionError
       */
      readonly approve: (
        choice: Schemas["ApproveAuthorizationBody"],
      ) => Call<"POST /api/oauth/authorizations/approve">;
      /**
       * Denies the app everything. Go to `redirectTo` of the result, which tells the app.
       * @throws ApiError `INVALID_OR_EXPIRED_TOKEN` …; ConnectionError
       */
      readonly deny: (requestToken: string) => Call<"POST /api/oauth/authorizations/deny">;
    };

    /**
     * Renews the access token now, for example after the caller's own roles have changed. Concurrent calls share one
     * refresh. If the session has ended, this is no error: see `session`.
     * @throws ApiError for 429 and 5xx, ConnectionError
     */
    readonly refresh: () => Call<"POST /api/auth/refresh", void>;

    /**
     * Sends a request and returns the body of the response: `request("PATCH /api/units/{id}", { path: { id }, body
     * })`.
     * - Files are returned as a Blob.
     * - If the access token is rejected, it is renewed and the request is repeated once.
     * - A POST that accepts an `Idempotency-Key` gets one, and is repeated with the same key if the connection fails
     *   (`retries`).
     * @throws ApiError, ConnectionError: `settle` and `isApiError` narrow them to the codes of the endpoint
     */
    readonly request: <E extends Endpoint>(
      endpoint: E,
      ...options: OptionalArguments<RequestOptions<E>>
    ) => Call<E>;

    /**
     * Like `request`, but returns the `Response`, so that its body can be read as a stream. Has no timeout.
     * @throws ApiError, ConnectionError
     */
    readonly raw: <E extends Endpoint>(
      endpoint: E,
      ...options: OptionalArguments<RequestOptions<E>>
    ) => Promise<Response>;

    /**
     * Like `fetch`, with the session's token. If the token is rejected, it is renewed and the request is repeated
     * once. For other clients of the API, such as `hc<Api>(url, { fetch: client.fetch })`. Error responses are
     * returned. Requests to another origin than that of `baseUrl` are sent without the token.
     * @throws every error of fetch; ApiError, ConnectionError if no token can be obtained
     */
    readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

    /**
     * Sends a form with files, and reports progress in browsers. The timeout allows for slow connections (32 KiB a
     * second, 2 to 5 minutes). A form that timed out is repeated with the same `Idempotency-Key`, so it takes effect
     * once.
     * @throws ApiError `IMAGE_TOO_LARGE`, `UNSUPPORTED_IMAGE` …; ConnectionError, also for a `TIMEOUT`
     */
    readonly upload: <E extends UploadEndpoint>(endpoint: E, options: UploadOptions<E>) => Call<E>;

    readonly notifications: {
      /**
       * Subscribes to the user's notifications, until `close`, the abort of the signal, or the end of the session.
       * Leaving a `for await` loop over the stream closes it too. All streams of a client share one connection.
       * Throws nothing: the stream reconnects by itself, and reports its status.
       */
      readonly stream: (options?: StreamOptions) => NotificationStream;
    };

    /** Releases timers, listeners and the channel between tabs. The session itself continues. Throws nothing. */
    readonly close: () => void;
  };

/** Creates a client in the given environment; tests pass their own environment. */
export function createClientIn(environment: Environment, options: ClientOptions): Client {
  const { baseUrl, fetch } = options;
  const session = createSession(environment, options);
  const requests = createRequests(environment, options, session);
  const { request, raw, pages, rows } = requests as typeof requests & ListMethods;
  if (options.onBlocked !== undefined) reportBlocked(session, request, options.onBlocked);
  session.start();
  return {
    session: { get: session.get, subscribe: session.subscribe },
    can(permission, unitId) {
      const now = session.get();
      return now.status === "signed-in" && grants(now, permission, unitId);
    },
    settings: () =>
      requests.once("GET /api/auth/settings", {}, null, read, {
        timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
      }) as Call<"GET /api/auth/settings">,
    ...createSignIn(environment, session, requests, baseUrl),
    refresh: session.refresh,
    authorizations: {
      begin: (query) => request("POST /api/oauth/authorizations", { body: { query } }),
      approve: (body) => request("POST /api/oauth/authorizations/approve", { body }),
      deny: (requestToken) => request("POST /api/oauth/authorizations/deny", { body: { requestToken } }),
    },
    request,
    raw,
    fetch: requests.fetch,
    pages,
    rows,
    upload: createUploads(environment, baseUrl, requests, fetch !== undefined),
    notifications: { stream: createStreams(environment, session, requests) },
    close: session.close,
  };
}

/** Calls `onBlocked` when a session begins without an active organization. A failure to load the organizations is ignored. */
function reportBlocked(
  session: Client["session"],
  request: Client["request"],
  onBlocked: NonNullable<ClientOptions["onBlocked"]>,
): void {
  let wasNowhere = false;
  session.subscribe(() => {
    const now = session.get();
    const isNowhere = now.status === "signed-in" && now.organization === null;
    if (isNowhere && !wasNowhere)
      request("GET /api/auth/organizations").then(
        (all) => all.filter(({ blockedBy }) => blockedBy).forEach(onBlocked),
        () => {},
      );
    wasNowhere = isNowhere;
  });
}
