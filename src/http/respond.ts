import type { Logger } from "pino";
import { isOutOfReach } from "../db/failures.ts";
import type { Answers, Reply } from "./endpoint.ts";
import { ApiError, internalError, serviceUnavailable } from "./errors.ts";

export interface Responder {
  with(reply: Reply<Answers>, requestId: string): Response;
  /** Shapes a refusal; anything else is logged once and answered by a 500 that says nothing. */
  withError(error: unknown, requestId: string): Response;
  /** Gives an answer that was made elsewhere the headers that it lacks. */
  complete(response: Response, requestId: string): Response;
}

/** Makes answers with all their headers at once. */
export function responder(headers: Record<string, string>, log: Logger): Responder {
  const jsonHeaders = { ...headers, "content-type": "application/json" };

  const json = (status: number, body: unknown, requestId: string, extra?: Record<string, string>) =>
    new Response(JSON.stringify(body), {
      status,
      headers: { ...jsonHeaders, "x-request-id": requestId, ...extra },
    });

  return {
    with(reply, requestId) {
      if (reply.body !== undefined) return json(reply.status, reply.body, requestId, reply.headers);
      return new Response(null, {
        status: reply.status,
        headers: { ...headers, "x-request-id": requestId, ...reply.headers },
      });
    },
    withError(error, requestId) {
      const refusal =
        error instanceof ApiError ? error : isOutOfReach(error) ? serviceUnavailable() : internalError();
      if (refusal.status >= 500) log.error({ requestId, err: error }, "request failed");
      const { errors, details, retryAfterSeconds, headers: own } = refusal.extra;
      const body = {
        statusCode: refusal.status,
        code: refusal.code,
        message: refusal.message,
        ...(errors && { errors }),
        ...(details && { details }),
        requestId,
      };
      const retry =
        retryAfterSeconds === undefined ? undefined : { "retry-after": String(retryAfterSeconds) };
      return json(refusal.status, body, requestId, { ...retry, ...own });
    },
    complete(response, requestId) {
      if (response.headers.has("x-request-id")) return response;
      for (const [name, value] of Object.entries(headers)) {
        if (!response.headers.has(name)) response.headers.set(name, value);
      }
      response.headers.set("x-request-id", requestId);
      return response;
    },
  };
}
