import { renewedBy } from "./app-token.ts";
import { createBearer } from "./bearer.ts";
import type { AppEndpoint, KeyEndpoint } from "./document.ts";
import type { Environment } from "./environment.ts";
import { createEvents, type EventsOptions, type PolledEvent } from "./event-polling.ts";
import { formOf, uploadTimeout } from "./forms.ts";
import type { Parts } from "./http.ts";
import { createLists, type ListMethods } from "./lists.ts";
import { type Call, settle } from "./settle.ts";
import type {
  Endpoint,
  FormOptions,
  ListEndpoint,
  OptionalArguments,
  RequestOptions,
  UploadEndpoint,
} from "./types.ts";

/** A method and a path of the API that API keys may call. */
export type MachineEndpoint = Endpoint & KeyEndpoint;
export type MachineListEndpoint = ListEndpoint & KeyEndpoint;
export type MachineUploadEndpoint = UploadEndpoint & KeyEndpoint;

type Retries = {
  /** How often this request may be repeated; replaces the client's `retries`. */
  readonly retries?: number;
};
export type MachineRequestOptions<E extends Endpoint> = RequestOptions<E> & Retries;
export type MachineUploadOptions<E extends UploadEndpoint> = FormOptions<E> & Retries;

type CommonOptions = {
  /** The origin of the API, such as `https://api.example.com`. */
  readonly baseUrl: string;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  /**
   * How often a request is repeated after a temporary failure. Default: 3, after 0.5, 1 and 2 seconds or
   * `Retry-After`.
   * - Repeats after 429 and 503. Repeats a POST with an `Idempotency-Key` also without a response, after 502, 504
   *   and `IDEMPOTENCY_KEY_IN_USE`.
   * - Does not wait for a `Retry-After` above 60 seconds: throws the error at once.
   */
  readonly retries?: number;
};

/** Options of `createMachineClient` for a service account. */
export type MachineClientOptions = CommonOptions & {
  /** The API key of a service account. Never put it into a page: everybody who opens the page could use it. */
  readonly apiKey: string;
};

/** Options of `createMachineClient` for a connected app. */
export type AppClientOptions = CommonOptions & {
  /**
   * The access token of the app for the resource `<API>/api`, or a function that returns it. The function is called for each
   * request, and once more after a 401: refresh the token then. If it returns the same token again, the request rejects.
   */
  readonly token: string | (() => Promise<string>);
};

/**
 * A client of the API for a machine, with an API key. Every method that sends a request rejects with `ApiError` if
 * the API returns an error, with `ConnectionError` if no response of the API arrives, and with the signal's reason
 * if the caller aborts.
 */
export type MachineClient<Allowed extends Endpoint = MachineEndpoint> = ListMethods<Allowed, Retries> & {
  /**
   * Sends a request and returns the body of the response: `request("GET /api/members/{userId}", { path: { userId }
   * })`. Files are returned as a Blob. A DELETE that was repeated after 503 may get 404, if the first attempt took
   * effect.
   * @throws ApiError, ConnectionError: `settle` narrows them to the codes of the endpoint
   */
  readonly request: <E extends Allowed>(
    endpoint: E,
    ...options: OptionalArguments<MachineRequestOptions<E>>
  ) => Call<E>;

  /**
   * Sends a form with files. The timeout allows for slow connections (32 KiB a second, 2 to 5 minutes).
   * @throws ApiError, ConnectionError
   */
  readonly upload: <E extends UploadEndpoint & Allowed>(
    endpoint: E,
    options: MachineUploadOptions<E>,
  ) => Call<E>;

  /**
   * Polls the events of the organization, oldest first and without end: every second while there are events, up to every
   * 30 seconds while there are none. Ends when the signal is aborted.
   * @throws ApiError, `CURSOR_EXPIRED` if events after the cursor were deleted; ConnectionError; from the iteration
   */
  readonly events: (options?: EventsOptions) => AsyncGenerator<PolledEvent, void, undefined>;

  /**
   * Waits for a request. Returns its result or its error, narrowed to the errors of the endpoint.
   * @throws any other error, such as the reason of the caller's signal
   */
  readonly settle: typeof settle;
};

/** A client of the API for a connected app, which acts for a person: like that of a machine, for the endpoints that apps may call. */
export type AppClient = MachineClient<Endpoint & AppEndpoint>;

/** Creates the machine client with these timers; tests pass their own timers. */
export function createMachineClientIn(
  timers: Pick<Environment, "after" | "random">,
  { baseUrl, fetch, retries, ...credential }: MachineClientOptions | AppClientOptions,
): MachineClient {
  const token = "apiKey" in credential ? credential.apiKey : credential.token;
  const send = createBearer(timers, {
    baseUrl,
    token: typeof token === "function" ? renewedBy(token) : token,
    fetch,
  });
  const request: typeof send = (endpoint, parts, ...form) =>
    send(endpoint, retries === undefined ? parts : { retries, ...parts }, ...form);

  function upload(endpoint: Endpoint, parts: Parts & { readonly form?: Record<string, unknown> }) {
    const { form, total } = formOf(parts.form ?? {});
    return request(endpoint, parts, form, uploadTimeout(total));
  }

  return {
    request,
    ...createLists(request),
    upload,
    events: createEvents(timers, request),
    settle,
  } as MachineClient;
}
