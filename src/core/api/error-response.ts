import type { Context } from "hono";
import { isUnavailable } from "../../platform/db/failures.ts";
import { ApiError, internalError, serviceUnavailable } from "../../platform/errors.ts";
import type { RouterEnv } from "./request-context.ts";

const MIN_DELAY_MS = 1_000;
const MAX_DELAY_MS = 3_000;

/**
 * Converts an error to a response. An error that is no `ApiError` is logged once and becomes a 500 that reveals
 * nothing. The delay of a rejection is random, so that rejections that start together do not end together.
 */
export async function errorResponse(error: unknown, c: Context<RouterEnv>): Promise<Response> {
  const context = c.get("request");
  const { app, requestId, route } = context;
  const known =
    error instanceof ApiError ? error : isUnavailable(error) ? serviceUnavailable(error) : internalError();
  context.code = known.code;
  if (known.status >= 500)
    app.log.error("request failed", { requestId, route, code: known.code, err: error });
  const { errors, details, retryAfterSeconds, headers, delayed } = known.extra;
  if (delayed) {
    const delayMs = MIN_DELAY_MS + Math.random() * (MAX_DELAY_MS - MIN_DELAY_MS);
    await new Promise((resolve) => setTimeout(resolve, delayMs));
  }
  const shaped = context.errorShape?.(known);
  const body = shaped?.body ?? {
    statusCode: known.status,
    code: known.code,
    message: known.message,
    ...(errors && { errors }),
    ...(details && { details }),
    requestId,
  };
  return c.json(body, (shaped?.status ?? known.status) as 400, {
    ...(retryAfterSeconds !== undefined && { "retry-after": String(retryAfterSeconds) }),
    ...headers,
    ...shaped?.headers,
  });
}
