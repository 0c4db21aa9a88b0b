import type { Endpoint, ErrorBody } from "./types.ts";

/** One violation of a request's schema: a dotted path such as `assignments.0.roleId`, and a sentence. */
export type FieldError = { readonly path: string; readonly message: string };

type Body = {
  readonly statusCode: number;
  readonly code: string;
  readonly message: string;
  readonly requestId: string;
  readonly errors?: readonly FieldError[];
  readonly details?: unknown;
};

/**
 * An error that the API returned. Branch on `code`, never on `message`. `isApiError` and `settle` narrow it to the
 * errors of an endpoint.
 */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** The request that failed. */
  declare readonly endpoint: Endpoint;
  declare readonly status: number;
  declare readonly code: string;
  /** The id of the request in the service's logs. */
  declare readonly requestId: string;
  /** All violations; only with `VALIDATION_FAILED`. */
  declare readonly errors: readonly FieldError[];
  declare readonly details: unknown;
  /** Seconds to wait before a retry; with 429, 503 and `IDEMPOTENCY_KEY_IN_USE`. */
  declare readonly retryAfter: number | null;

  constructor(endpoint: Endpoint, body: Body, retryAfter: number | null) {
    super(body.message);
    const { statusCode: status, code, requestId, errors = [], details } = body;
    Object.assign(this, { endpoint, status, code, requestId, errors, details, retryAfter });
  }

  /**
   * Returns the messages of a failed validation by the path of their field: `{ "title": ["title should not be
   * empty"] }`.
   */
  get fields(): Readonly<Record<string, readonly string[]>> {
    const fields: Record<string, string[]> = {};
    for (const { path, message } of this.errors) fields[path] = [...(fields[path] ?? []), message];
    return fields;
  }
}

/**
 * The error if no response of the API arrived: no network, a timeout, or a proxy responded in place of the API. The
 * request may have been processed. Such an error never ends the session.
 */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  /** The request that failed. */
  declare readonly endpoint: Endpoint;
  declare readonly code: "NETWORK_ERROR" | "TIMEOUT" | "UNEXPECTED_RESPONSE";
  /** The status of the unexpected response; null if no response arrived. */
  declare readonly status: number | null;

  constructor(
    endpoint: Endpoint,
    code: ConnectionError["code"],
    cause?: unknown,
    status: number | null = null,
  ) {
    super(`${endpoint}: ${code}`, { cause });
    Object.assign(this, { endpoint, code, status });
  }
}

type Narrowed<Body> = Body extends { statusCode: infer Status; code: infer Codes }
  ? Codes extends infer Code
    ? ApiError & {
        readonly status: Status;
        readonly code: Code;
        readonly details: "details" extends keyof Body ? Body["details"] : undefined;
      }
    : never
  : never;

/** The errors that an endpoint may return, discriminated by `code`. */
export type ApiErrorOf<E extends Endpoint> = E extends Endpoint ? Narrowed<ErrorBody<E>> : never;

/** Every error that a request to an endpoint may reject with, discriminated by `code`. */
export type RequestError<E extends Endpoint> = ApiErrorOf<E> | ConnectionError;

/**
 * The details of `REAUTHENTICATION_REQUIRED`: how the account can prove its identity, in order of preference, and the
 * maximum age of such a proof.
 */
export type ReauthenticationDetails = Extract<
  ApiErrorOf<"POST /api/profile/passkeys/options">,
  { code: "REAUTHENTICATION_REQUIRED" }
>["details"];

/**
 * Whether this is an error that the API returned. If an endpoint is given, narrows `code` to the errors of that
 * endpoint. Throws nothing.
 */
export function isApiError<E extends Endpoint = Endpoint>(
  error: unknown,
  endpoint?: E,
): error is ApiErrorOf<E> {
  return error instanceof ApiError && (endpoint === undefined || error.endpoint === endpoint);
}
