import type { Context, Next } from "hono";
import { filtersOf } from "./id-headers.ts";
import { type RouteDefinition, readLimitOf } from "./route.ts";
import { authenticateCaller } from "./steps/authenticate.ts";
import { checkCallerAccess, refusePeople } from "./steps/check-access.ts";
import { readKey } from "./steps/idempotency-key.ts";
import { Incoming, type StepContext, type StepOf } from "./steps/incoming.ts";
import { limitedReads, limitSmallReads, limitWaitingWrites, limitWrites } from "./steps/limit-work.ts";
import { checkHeaders, readBody, readFormBody, startDeadline } from "./steps/read-body.ts";
import { requireProof } from "./steps/require-proof.ts";
import { throttleAddress, throttleCaller, throttleFailures } from "./steps/throttle.ts";
import { validate } from "./steps/validate.ts";

/** The steps of a request, in the order of rules 2.4. A route runs those that apply to it. */
const STEPS: StepOf[] = [
  throttleAddress,
  throttleFailures,
  authenticateCaller,
  limitWaitingWrites,
  limitSmallReads,
  checkHeaders,
  readBody,
  startDeadline,
  checkCallerAccess,
  requireProof,
  limitWrites,
  readFormBody,
  validate,
  readKey,
  refusePeople,
  throttleCaller,
];

/**
 * Returns the handler of a route for Hono: runs its steps, and then the route's own handler with the call. A route that does
 * not exist with this configuration leaves the request to the next one that matches, or else it is 404.
 */
export function buildHandler(
  definition: RouteDefinition,
  handle: (c: Context) => Response | Promise<Response>,
): (c: StepContext, next: Next) => Promise<Response> {
  const steps = STEPS.flatMap((stepOf) => stepOf(definition) ?? []);
  const respond = limitedReads(readLimitOf(definition), async (incoming) => handle(incoming.c));
  const { existsIf = () => true } = definition;
  return async (c, next) => {
    if (!existsIf(c.get("request").app.config)) {
      await next();
      return c.res;
    }
    const incoming = new Incoming(c);
    incoming.context.route = definition.path;
    incoming.context.errorShape = definition.errorShape;
    try {
      for (const step of steps) {
        const result = step(incoming);
        const response = result instanceof Promise ? await result : result;
        if (response instanceof Response) return response;
      }
      c.set("call", callOf(definition, incoming));
      const response = await respond(incoming);
      incoming.hasSucceeded = response.status < 400;
      return response;
    } finally {
      incoming.end();
    }
  };
}

/** Returns the call that the services of the route get. */
const callOf = (
  definition: RouteDefinition,
  { service, access, idempotencyKey, context, request }: Incoming,
) => ({
  ...service,
  actor: null,
  ...access,
  filters: filtersOf(request.headers, definition),
  ...(definition.idempotent && { idempotencyKey }),
  requestId: context.requestId,
  ip: context.ip,
  userAgent: context.userAgent,
});
