import { pathOf, queryOf } from "../../../platform/http/target.ts";
import { Rate } from "../../../platform/limits/rate.ts";
import { accountOf } from "../../access/access.ts";
import { LIMITS } from "../../definitions/limits.ts";
import { fingerprintOf, hashOfKey, type IdempotencyKey, keyFrom } from "../../idempotency/key.ts";
import { memoizePerApp } from "../../memoize-per-app.ts";
import type { RouteDefinition } from "../route.ts";
import type { CallerAccess, Incoming, StepOf } from "./incoming.ts";

const requestsOf = memoizePerApp(() => ({
  user: new Rate(LIMITS.keyedRequests),
  setup_link: new Rate(LIMITS.keyedRequests),
  service_account: new Rate(LIMITS.keyedRequestsOfMachines),
}));

/** The outbox of a product survives a long weekend, whatever `IDEMPOTENCY_HOURS` is. sql/idempotency.sql knows it too. */
const HOURS_OF_PRODUCT = 7 * 24;

/** Reads the `Idempotency-Key` of a POST that can be repeated, and counts it for its limit (rules 2.4, 7; 27.9). */
export const readKey: StepOf = (definition) =>
  definition.idempotent
    ? async (incoming) => {
        if (incoming.access === null) return;
        incoming.idempotencyKey = await readIdempotencyKey(definition, incoming.access, incoming);
      }
    : null;

/**
 * Returns the validated `Idempotency-Key` of a request, or null. Counts the request for the limit.
 * @throws tooManyRequests
 */
async function readIdempotencyKey(
  { shownOnce = [], isSecret, maxStoredBytes, usesActiveOrganization }: RouteDefinition,
  { actor, organizationId }: CallerAccess,
  { app, request, json, form }: Incoming,
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
    body: form === null ? json : form.fields,
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
