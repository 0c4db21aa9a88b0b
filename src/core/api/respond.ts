import { isOutOfReach } from "../../platform/db/failures.ts";
import { ApiError, internalError, serviceUnavailable } from "../../platform/errors.ts";
import type { Logger } from "../../platform/log.ts";
import type { Answers, Reply } from "./endpoint.ts";
import type { RequestState } from "./router.ts";

export interface Responder {
  with(reply: Reply<Answers>, state: RequestState): Response;
  /** Shapes a refusal; anything else is logged once and answered by a 500 that says nothing. */
  withError(error: unknown, state: RequestState): Response;
  /** Gives an answer that was made elsewhere the headers that it lacks. */
  complete(response: Response, state: RequestState): Response;
}

/** Makes answers. The headers that all share are kept ready: a copy of them costs a third of making them. */
export function responder(headers: Record<string, string>, log: Logger): Responder {
  const shared = new Headers(headers);
  const sharedJson = new Headers({ ...headers, "content-type": "application/json" });

  function answer(status: number, body: unknown, state: RequestState, extra: Record<string, string>) {
    const response =
      body === undefined
        ? new Response(null, { status, headers: shared })
        : new Response(JSON.stringify(body), { status, headers: sharedJson });
    response.headers.set("x-request-id", state.requestId);
    for (const name in extra) response.headers.set(name, extra[name] as string);
    state.isComplete = true;
    return response;
  }

  return {
    with: (reply, state) => answer(reply.status, reply.body, state, reply.headers),
    withError(error, state) {
      const refusal =
        error instanceof ApiError ? error : isOutOfReach(error) ? serviceUnavailable(error) : internalError();
      const { requestId } = state;
      if (refusal.status >= 500) log.error("request failed", { requestId, err: error });
      const { errors, details, retryAfterSeconds, headers: own } = refusal.extra;
      const body = {
        statusCode: refusal.status,
        code: refusal.code,
        message: refusal.message,
        ...(errors && { errors }),
        ...(details && { details }),
        requestId,
      };
      const retry = retryAfterSeconds === undefined ? null : { "retry-after": String(retryAfterSeconds) };
      return answer(refusal.status, body, state, { ...retry, ...own });
    },
    complete(response, state) {
      if (state.isComplete) return response;
      for (const [name, value] of shared) {
        if (!response.headers.has(name)) response.headers.set(name, value);
      }
      response.headers.set("x-request-id", state.requestId);
      return response;
    },
  };
}
