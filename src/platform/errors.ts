import { z } from "zod";
import { type Violation, Violations } from "./violations.ts";

/**
 * An error for the client: status, code and message (rules 2.8). Services throw it, and only the HTTP layer
 * converts it to a response. Shared errors are in this file; each feature has its own `errors.ts`.
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
  /** Headers of the error response, such as a cookie that is cleared. */
  headers?: Record<string, string>;
  /**
   * The response is sent after 1 to 3 s, so that a client that repeats a rejected request at once does not occupy the
   * processor.
   */
  delayed?: boolean;
  /** The cause of the error, only for the log. */
  cause?: unknown;
};

/** Returns the response of an error in the shape of another standard than ours. */
export type ErrorShape = (error: ApiError) => {
  status: number;
  body: object;
  headers?: Record<string, string>;
};

/** A function that creates errors. Their status and code are known without creating one. */
export type ErrorFactory<Arguments extends never[] = never[]> = ((...details: Arguments) => ApiError) & {
  readonly status: number;
  readonly code: string;
  /** The properties of the body in addition to the common ones. */
  readonly body?: z.ZodObject;
};

/** Creates a factory of errors with one fixed message. */
export const defineError = (status: number, code: string, message: string): ErrorFactory<[]> =>
  Object.assign(() => new ApiError(status, code, message), { status, code });

export const validationFailed = Object.assign(
  (violations: Violation[]) => {
    const errors = new Violations(violations).named;
    return new ApiError(400, "VALIDATION_FAILED", errors.map(({ message }) => message).join("; "), {
      errors,
    });
  },
  {
    status: 400,
    code: "VALIDATION_FAILED",
    body: z.object({
      errors: z
        .array(
          z.object({
            path: z
              .string()
              .describe("The path of the field with dots and array indexes, such as `assignments.0.roleId`."),
            message: z.string().describe("What is wrong with the field, in one sentence."),
          }),
        )
        .describe("The violations of the request, at most 50."),
    }),
  },
);
export const tooManyRequests = Object.assign(
  (retryAfterSeconds: number, extra: Pick<Extra, "delayed"> = {}) =>
    new ApiError(429, "TOO_MANY_REQUESTS", "Too many requests, try again later", {
      retryAfterSeconds,
      ...extra,
    }),
  { status: 429, code: "TOO_MANY_REQUESTS" },
);
export const serviceUnavailable = Object.assign(
  (cause: unknown) =>
    new ApiError(503, "SERVICE_UNAVAILABLE", "The service is temporarily unavailable; try again", {
      retryAfterSeconds: 1,
      cause,
    }),
  { status: 503, code: "SERVICE_UNAVAILABLE" },
);

export const malformedJson = defineError(400, "MALFORMED_JSON", "The body is not valid JSON in UTF-8");
/** The error for a body that is incomplete because the client disconnected. The client never gets the response. */
export const incompleteBody = defineError(400, "MALFORMED_JSON", "The body ended too early");
export const notFound = defineError(404, "NOT_FOUND", "Not found");
/** The rest of the body is not read, so the connection is closed after the response. */
export const requestTimeout = Object.assign(
  () =>
    new ApiError(408, "REQUEST_TIMEOUT", "The body took too long to arrive", {
      headers: { connection: "close" },
    }),
  { status: 408, code: "REQUEST_TIMEOUT" },
);
export const conflicting = {
  status: 409,
  code: "CONFLICT",
  body: z.object({
    details: z
      .object({
        max: z.int().optional().describe("The maximum that the message states."),
        methods: z.array(z.string()).optional().describe("How the account can prove its identity instead."),
      })
      .optional()
      .describe("Present if a size limit is reached, or if an account cannot re-authenticate like this."),
  }),
};
export const conflict = Object.assign(
  () => new ApiError(409, "CONFLICT", "Conflict with the current state"),
  conflicting,
);
/** Creates the error for a size limit. `max` is the limit in the message. */
export const sizeLimitReached = Object.assign(
  (message: string, max: number) => new ApiError(409, "CONFLICT", message, { details: { max } }),
  conflicting,
);
export const payloadTooLarge = defineError(413, "PAYLOAD_TOO_LARGE", "The body is too large");
export const unsupportedMediaType = defineError(
  415,
  "UNSUPPORTED_MEDIA_TYPE",
  "The body must be application/json, without a content encoding",
);
export const providerError = Object.assign(
  (cause: unknown) =>
    Object.assign(new ApiError(502, "PROVIDER_ERROR", "The provider could not be reached"), {
      cause,
    }),
  { status: 502, code: "PROVIDER_ERROR" },
);
export const internalError = defineError(500, "INTERNAL_ERROR", "Something went wrong");
