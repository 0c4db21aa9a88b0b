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
export type ErrorFactory<Arguments extends unknown[] = never[]> = ((...details: Arguments) => ApiError) & {
  readonly status: number;
  readonly code: string;
  /** The properties of the body in addition to the common ones. */
  readonly body?: z.ZodObject | undefined;
};

/**
 * Creates a factory of errors.
 * @param describe returns from the factory's arguments what differs between its errors; possibly another message
 * @param body the properties of the body in addition to the common ones
 * @example defineError(403, "NOTE_LOCKED", "The note is locked", (until: string) => ({ details: { until } }), NoteLocked)
 */
export function defineError<Arguments extends unknown[] = []>(
  status: number,
  code: string,
  message: string,
  describe?: (...details: Arguments) => Extra & { message?: string },
  body?: z.ZodObject,
): ErrorFactory<Arguments> {
  const create = (...details: Arguments) => {
    const { message: own = message, ...extra } = describe?.(...details) ?? {};
    return new ApiError(status, code, own, extra);
  };
  return Object.assign(create, { status, code, body });
}

export const validationFailed = defineError(
  400,
  "VALIDATION_FAILED",
  "The request is invalid",
  (violations: Violation[]) => {
    const errors = new Violations(violations).named;
    return { message: errors.map(({ message }) => message).join("; "), errors };
  },
  z.object({
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
);
export const malformedJson = defineError(400, "MALFORMED_JSON", "The body is not valid JSON in UTF-8");
/** The error for a body that is incomplete because the client disconnected. The client never gets the response. */
export const incompleteBody = defineError(400, "MALFORMED_JSON", "The body ended too early");
export const notFound = defineError(404, "NOT_FOUND", "Not found");
/** The rest of the body is not read, so the connection is closed after the response. */
export const requestTimeout = defineError(408, "REQUEST_TIMEOUT", "The body took too long to arrive", () => ({
  headers: { connection: "close" },
}));

const ConflictDetails = z.object({
  details: z
    .object({
      max: z.int().optional().describe("The maximum that the message states."),
      methods: z.array(z.string()).optional().describe("How the account can prove its identity instead."),
    })
    .optional()
    .describe("Present if a size limit is reached, or if an account cannot re-authenticate like this."),
});
/** Creates a factory of errors with the code `CONFLICT`; see `defineError`. */
export const defineConflict = <Arguments extends unknown[] = []>(
  message: string,
  describe?: (...details: Arguments) => Extra & { message?: string },
) => defineError(409, "CONFLICT", message, describe, ConflictDetails);
export const conflict = defineConflict("Conflict with the current state");
/** The error for a size limit. `max` is the limit in the message. */
export const sizeLimitReached = defineConflict("Too many", (message: string, max: number) => ({
  message,
  details: { max },
}));
export const payloadTooLarge = defineError(413, "PAYLOAD_TOO_LARGE", "The body is too large");
export const unsupportedMediaType = defineError(
  415,
  "UNSUPPORTED_MEDIA_TYPE",
  "The body must be application/json, without a content encoding",
);
export const tooManyRequests = defineError(
  429,
  "TOO_MANY_REQUESTS",
  "Too many requests, try again later",
  (retryAfterSeconds: number, extra: Pick<Extra, "delayed"> = {}) => ({ retryAfterSeconds, ...extra }),
);
export const internalError = defineError(500, "INTERNAL_ERROR", "Something went wrong");
export const providerError = defineError(
  502,
  "PROVIDER_ERROR",
  "The provider could not be reached",
  (cause: unknown) => ({ cause }),
);
export const serviceUnavailable = defineError(
  503,
  "SERVICE_UNAVAILABLE",
  "The service is temporarily unavailable; try again",
  (cause: unknown) => ({ retryAfterSeconds: 1, cause }),
);
