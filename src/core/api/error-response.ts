import type { Context } from "hono";
import { isUnavailable } from "../../platform/db/failures.ts";
import { ApiError, internalError, serviceUnavailable } from "../../platform/errors.ts";
import type { RouterEnv } from "./request-context.ts";

/**
 * Converts an error to a response. An error that is no `ApiError` is logged once and becomes a 500 that reveals
 * nothing.
 */
export function errorResponse(error: unknown, c: Context<RouterEnv>): Response {
  const context = c.get("request");
  const { app, requestId, route } = context;
  const known =
    error instanceof ApiError ? error : isUnavailable(error) ? serviceUnavailable(error) : internalError();
  context.code = known.code;
  if (known.status >= 500)
    app.log.error("request failed", { requestId, route, code: known.code, err: error });
  const { errors, details, retryAfterSeconds, headers } = known.extra;
  const body = {
    statusCode: known.status,
    code: known.code,
    message: known.message,
    ...(errors && { errors }),
    ...(details && { details }),
    requestId,
  };
  return c.json(body, known.status as 400, {
    ...(retryAfterSeconds !== undefined && { "retry-after": String(retryAfterSeconds) }),
    ...headers,
  });
}
