import { Violations } from "./http/violations.ts";

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
    super(message, "cause" in extra ? { cause: extra.cause } : undefined);
  }
}

type Extra = {
  errors?: Violation[];
  details?: Record<string, unknown>;
  retryAfterSeconds?: number;
  /** Headers of the answer, such as a cookie that is cleared. */
  headers?: Record<string, string>;
  /** Why, for the log alone. */
  cause?: unknown;
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
  (violations: Violation[]) => {
    const errors = new Violations(violations).named;
    return new ApiError(400, "VALIDATION_FAILED", errors.map(({ message }) => message).join("; "), {
      errors,
    });
  },
  { status: 400, code: "VALIDATION_FAILED" },
);
export const tooManyRequests: Refusal<[number]> = Object.assign(
  (retryAfterSeconds: number) =>
    new ApiError(429, "TOO_MANY_REQUESTS", "Too many requests, try again later", { retryAfterSeconds }),
  { status: 429, code: "TOO_MANY_REQUESTS" },
);
export const serviceUnavailable: Refusal<[cause: unknown]> = Object.assign(
  (cause: unknown) =>
    new ApiError(503, "SERVICE_UNAVAILABLE", "Temporarily out of service, try again", {
      retryAfterSeconds: 1,
      cause,
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
export const organizationHeaderRequired = refusal(
  400,
  "ORGANIZATION_REQUIRED",
  "Name exactly one organization in X-Organization-Id",
);
/** Of an invitation into it, and of a token from before; switching into it is refused with another status. */
export const organizationIsSuspended = refusal(
  400,
  "ORGANIZATION_SUSPENDED",
  "The organization is suspended",
);
export const resentTooRecently = refusal(400, "RESENT_TOO_RECENTLY", "Resent too recently");
export const organizationOverrideNotAllowed = refusal(
  400,
  "ORGANIZATION_OVERRIDE_NOT_ALLOWED",
  "An organization buys for itself",
);
export const tooManyImages = refusal(
  400,
  "TOO_MANY_IMAGES",
  "At most 5 images in a message, and 50 in a ticket",
);
export const malformedImage = refusal(400, "MALFORMED_IMAGE", "An image is damaged");
export const invalidSignature = refusal(400, "INVALID_SIGNATURE", "The signature does not fit the body");
/** In the profile, where a 401 would mean that the session is over. */
export const wrongPassword = refusal(400, "INVALID_CREDENTIALS", "Wrong password");
export const wrongCode = refusal(400, "INVALID_TWO_FACTOR_CODE", "Wrong code");
export const unauthenticated = refusal(401, "UNAUTHENTICATED", "A valid access token is required");
export const invalidCredentials = refusal(401, "INVALID_CREDENTIALS", "Wrong email or password");
export const invalidRefreshToken = refusal(
  401,
  "INVALID_REFRESH_TOKEN",
  "The session is over, sign in again",
);
/** Of a sign-in that waited for its second factor. */
export const challengeOver = refusal(401, "UNAUTHENTICATED", "The sign-in is over, begin it again");
export const wrongSignInCode = refusal(401, "INVALID_TWO_FACTOR_CODE", "Wrong code");
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
export const organizationRequired = refusal(403, "ORGANIZATION_REQUIRED", "No organization is active");
export const platformAdminNoSwitch = refusal(
  403,
  "PLATFORM_ADMIN_NO_SWITCH",
  "Platform administrators do not act in an organization",
);
export const notAMember = refusal(403, "NOT_A_MEMBER", "Not a member of this organization");
export const organizationSuspended = refusal(403, "ORGANIZATION_SUSPENDED", "The organization is suspended");
export const unitForbidden = refusal(403, "UNIT_FORBIDDEN", "The unit is outside your units");
export const permissionNotHeld = refusal(
  403,
  "PERMISSION_NOT_HELD",
  "You do not hold everything that this would hand on or take away",
);
export const planFeatureRequired = refusal(
  403,
  "PLAN_FEATURE_REQUIRED",
  "The organization's plan does not include this",
);
/** `max` is the plan's, `used` what there is already. */
export const planLimitReached: Refusal<[{ limit: string; max: number; used: number }]> = Object.assign(
  (details: { limit: string; max: number; used: number }) =>
    new ApiError(403, "PLAN_LIMIT_REACHED", `The plan allows ${details.max} ${details.limit}`, { details }),
  { status: 403, code: "PLAN_LIMIT_REACHED" },
);
export const invitationEmailMismatch = refusal(
  403,
  "INVITATION_EMAIL_MISMATCH",
  "The invitation is for another email address",
);
export const emailNotVerified = refusal(
  403,
  "EMAIL_NOT_VERIFIED",
  "The email address has not been verified yet",
);
export const notFound = refusal(404, "NOT_FOUND", "Not found");
/** Nothing more is read of the connection, so it ends. */
export const requestTimeout: Refusal = Object.assign(
  () =>
    new ApiError(408, "REQUEST_TIMEOUT", "The body took too long to arrive", {
      headers: { connection: "close" },
    }),
  { status: 408, code: "REQUEST_TIMEOUT" },
);
export const emailTaken = refusal(409, "EMAIL_TAKEN", "An account with this email already exists");
export const emailUnavailable = refusal(409, "EMAIL_UNAVAILABLE", "A deleted account holds this email");
export const alreadyMember = refusal(409, "ALREADY_MEMBER", "Already a member of this organization");
export const conflict = refusal(409, "CONFLICT", "In conflict with what is there");
/** The message names the bound, and `max` is its number. */
export const sizeReached: Refusal<[message: string, max: number]> = Object.assign(
  (message: string, max: number) => new ApiError(409, "CONFLICT", message, { details: { max } }),
  { status: 409, code: "CONFLICT" },
);
export const lastAdmin = refusal(409, "LAST_ADMIN", "Somebody must remain who can administer");
export const twoFactorAlreadyEnabled = refusal(
  409,
  "TWO_FACTOR_ALREADY_ENABLED",
  "Two-factor authentication is on already",
);
export const twoFactorNotEnabled = refusal(409, "TWO_FACTOR_NOT_ENABLED", "Two-factor authentication is off");
export const slugTaken = refusal(409, "SLUG_TAKEN", "The slug is taken");
export const roleInUse = refusal(
  409,
  "ROLE_IN_USE",
  "The role is still given, a default, or named by an invitation",
);
export const unitNotEmpty = refusal(
  409,
  "UNIT_NOT_EMPTY",
  "The unit still has sub-units, members or invitations",
);
export const unitCycle = refusal(409, "UNIT_CYCLE", "A unit cannot be moved below itself");
export const billingNotConfigured = refusal(409, "BILLING_NOT_CONFIGURED", "Nothing is sold here");
export const ticketClosed = refusal(409, "TICKET_CLOSED", "The ticket is closed");
export const imageTooLarge = refusal(413, "IMAGE_TOO_LARGE", "An image may have 5 MB");
export const payloadTooLarge = refusal(413, "PAYLOAD_TOO_LARGE", "The body is too large");
export const unsupportedMediaType = refusal(
  415,
  "UNSUPPORTED_MEDIA_TYPE",
  "The body must be application/json, without a content encoding",
);
export const unsupportedImage = refusal(415, "UNSUPPORTED_IMAGE", "Images must be PNG, JPEG, WebP or GIF");
/** Of images, in a day. */
export const uploadQuotaExceeded: Refusal<[number]> = Object.assign(
  (retryAfterSeconds: number) =>
    new ApiError(429, "UPLOAD_QUOTA_EXCEEDED", "At most 100 MB of images in 24 hours", {
      retryAfterSeconds,
    }),
  { status: 429, code: "UPLOAD_QUOTA_EXCEEDED" },
);
export const providerError: Refusal<[unknown]> = Object.assign(
  (cause: unknown) =>
    Object.assign(new ApiError(502, "PROVIDER_ERROR", "The provider could not be reached"), {
      cause,
    }),
  { status: 502, code: "PROVIDER_ERROR" },
);
export const internalError = refusal(500, "INTERNAL_ERROR", "Something went wrong");
