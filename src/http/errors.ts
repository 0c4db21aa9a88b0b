/**
 * The catalog of refusals: one place for status, code and sentence (specification 7, contract 1.1).
 * Services throw these; the HTTP layer alone shapes them into an answer.
 */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly extra: Extra = {},
  ) {
    super(message);
  }
}

type Extra = {
  errors?: Violation[];
  details?: Record<string, unknown>;
  retryAfterSeconds?: number;
  /** Headers of the answer, such as a cookie that is cleared. */
  headers?: Record<string, string>;
};

/** One thing that is wrong with a request; `path` is dotted, with array indexes. */
export type Violation = { path: string; message: string };

/** A constructor of refusals that also says, before any is made, which status and code they carry. */
export type Refusal<Arguments extends unknown[] = []> = ((...given: Arguments) => ApiError) & {
  readonly status: number;
  readonly code: string;
};

function refusal(status: number, code: string, message: string): Refusal {
  return Object.assign(() => new ApiError(status, code, message), { status, code });
}

export const validationFailed: Refusal<[Violation[]]> = Object.assign(
  (errors: Violation[]) =>
    new ApiError(400, "VALIDATION_FAILED", errors.map((error) => error.message).join("; "), { errors }),
  { status: 400, code: "VALIDATION_FAILED" },
);
export const tooManyRequests: Refusal<[number]> = Object.assign(
  (retryAfterSeconds: number) =>
    new ApiError(429, "TOO_MANY_REQUESTS", "Too many requests, try again later", { retryAfterSeconds }),
  { status: 429, code: "TOO_MANY_REQUESTS" },
);
export const serviceUnavailable: Refusal = Object.assign(
  () =>
    new ApiError(503, "SERVICE_UNAVAILABLE", "Temporarily out of service, try again", {
      retryAfterSeconds: 1,
    }),
  { status: 503, code: "SERVICE_UNAVAILABLE" },
);

export const malformedJson = refusal(400, "MALFORMED_JSON", "The body is not valid JSON in UTF-8");
/** Told to nobody: the client went away before its body was whole. */
export const incompleteBody = refusal(400, "MALFORMED_JSON", "The body ended too early");
export const invalidOrExpiredToken = refusal(
  400,
  "INVALID_OR_EXPIRED_TOKEN",
  "The link is invalid or has expired",
);
export const unauthenticated = refusal(401, "UNAUTHENTICATED", "A valid access token is required");
export const invalidCredentials = refusal(401, "INVALID_CREDENTIALS", "Wrong email or password");
export const invalidRefreshToken = refusal(
  401,
  "INVALID_REFRESH_TOKEN",
  "The session is over, sign in again",
);
export const forbidden = refusal(403, "FORBIDDEN", "Not allowed");
export const platformAdminRequired = refusal(
  403,
  "PLATFORM_ADMIN_REQUIRED",
  "Only for platform administrators",
);
export const organizationOverrideForbidden = refusal(
  403,
  "ORGANIZATION_OVERRIDE_FORBIDDEN",
  "Only platform administrators may send X-Organization-Id",
);
export const emailNotVerified = refusal(
  403,
  "EMAIL_NOT_VERIFIED",
  "The email address has not been verified yet",
);
export const notFound = refusal(404, "NOT_FOUND", "Not found");
export const emailTaken = refusal(409, "EMAIL_TAKEN", "An account with this email already exists");
export const payloadTooLarge = refusal(413, "PAYLOAD_TOO_LARGE", "The body is too large");
export const unsupportedMediaType = refusal(
  415,
  "UNSUPPORTED_MEDIA_TYPE",
  "The body must be application/json",
);
export const internalError = refusal(500, "INTERNAL_ERROR", "Something went wrong");
