import type { TypedResponse } from "hono";
import { pathOf, queryOf } from "../../platform/http/target.ts";
import { Rate } from "../../platform/limits/rate.ts";
import { accountOf } from "../access/access.ts";
import type { App, Tx } from "../context.ts";
import { LIMITS } from "../definitions/limits.ts";
import type { Form } from "../forms/form.ts";
import { fingerprintOf, hashOfKey, type IdempotencyKey, keyFrom } from "../idempotency/key.ts";
import {
  type KeyedCall,
  type KeyedResponse,
  type LastStep,
  respondOnce,
  respondOnceInSteps,
} from "../idempotency/responses.ts";
import { memoizePerApp } from "../memoize-per-app.ts";
import type { CallerAccess } from "./admit.ts";
import type { RouteDefinition } from "./route.ts";

const requestsOf = memoizePerApp(() => ({
  user: new Rate(LIMITS.keyedRequests),
  setup_link: new Rate(LIMITS.keyedRequests),
  service_account: new Rate(LIMITS.keyedRequestsOfMachines),
}));

/** The outbox of a product survives a long weekend, whatever `IDEMPOTENCY_HOURS` is. sql/idempotency.sql knows it too. */
const HOURS_OF_PRODUCT = 7 * 24;

type Received = { app: App; request: Request; body: unknown; form: Form | null };

/**
 * Returns the validated `Idempotency-Key` of a request, or null, and counts the request for the limit (rules 27.9).
 * @throws tooManyRequests
 */
export async function readIdempotencyKey(
  { shownOnce = [], isSecret, maxStoredBytes, usesActiveOrganization }: RouteDefinition,
  { actor, organizationId }: CallerAccess,
  { app, request, body, form }: Received,
): Promise<IdempotencyKey | null> {
  const key = keyFrom(request.headers);
  if (key === null) return null;
  const callerId = accountOf(actor);
  const isProduct = actor.type === "product";
  if (!isProduct) requestsOf(app)[actor.type].consume(callerId);
  const active = usesActiveOrganization ? actor.claims.organization?.id : undefined;
  const place = { organizationId: organizationId ?? active ?? null };
  const fingerprint = await fingerprintOf({
    ...place,
    method: request.method,
    path: pathOf(request),
    query: queryOf(request.url),
    body,
    images: form?.images ?? [],
  });
  const hours = isProduct ? HOURS_OF_PRODUCT : app.config.idempotencyHours;
  return {
    ...place,
    callerId,
    keyHash: hashOfKey(key),
    fingerprint,
    hours,
    shownOnce,
    isSecret: isSecret === true,
    maxStoredBytes,
  };
}

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
