import type { TypedResponse } from "hono";
import type { Tx } from "../context.ts";
import {
  type KeyedCall,
  type KeyedResponse,
  type LastStep,
  respondOnce,
  respondOnceInSteps,
} from "../idempotency/responses.ts";

/** The request context of a route that declares `idempotent`. */
type KeyedContext<C extends KeyedCall> = { readonly var: { readonly call: C } };
type IdempotentResponse<T, Status extends number> = Response & TypedResponse<T, Status & 200, "json">;

/**
 * Handles a request in one transaction, at most once for an `Idempotency-Key` (rules 27). The result of `work` is the
 * body, and is stored under the key in the same transaction.
 * @example .openapi(createTodoRoute, (c) => idempotent(c, 201, (tx) => createTodo(tx, c.req.valid("json"))))
 */
export async function idempotent<C extends KeyedCall, T, const Status extends number>(
  { var: { call } }: KeyedContext<C>,
  status: Status,
  work: (tx: Tx<C>) => Promise<T>,
): Promise<IdempotentResponse<T, Status>> {
  return respond(await respondOnce(call, status, work));
}

/**
 * Like `idempotent`, for a request in several steps, during which the key is claimed. The last step calls `last`
 * with the transaction whose result is the body.
 * @param claim false if this request has only its last step
 * @example (c) => idempotentInSteps(c, 200, (last) => checkout(c.var.call, c.req.valid("json"), last))
 */
export async function idempotentInSteps<C extends KeyedCall, T, const Status extends number>(
  { var: { call } }: KeyedContext<C>,
  status: Status,
  steps: (last: LastStep<C>) => Promise<KeyedResponse<T>>,
  { claim = true }: { claim?: boolean } = {},
): Promise<IdempotentResponse<T, Status>> {
  return respond(
    await (claim
      ? respondOnceInSteps(call, status, steps)
      : steps((last) => respondOnce(call, status, last))),
  );
}

function respond<T, Status extends number>({
  status,
  body,
  isReplayed,
}: KeyedResponse<T>): IdempotentResponse<T, Status> {
  const headers = {
    ...(body !== null && { "content-type": "application/json" }),
    ...(isReplayed && { "idempotent-replayed": "true" }),
  };
  return new Response(body, { status, headers }) as IdempotentResponse<T, Status>;
}
