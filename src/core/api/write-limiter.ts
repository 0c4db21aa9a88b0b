import { type ConcurrencyLimit, ConcurrencyLimiter } from "../../platform/concurrency-limiter.ts";
import { personOf } from "../access/access.ts";
import { memoizePerApp } from "../memoize-per-app.ts";
import type { CallerAccess } from "./guard.ts";
import type { RouteDefinition } from "./route.ts";

const PER_PERSON = { max: 2, maxWaiting: 64 };
const PER_ORGANIZATION = { max: 4, maxWaiting: 128 };

/**
 * Limits how many writes of one person, or in one organization, use a connection at once. Writes of one organization
 * often wait for the same lock; without a limit they would use all connections while they wait. Persons take turns.
 * Each instance counts separately.
 */
export const writeLimiterOf = memoizePerApp(() => new ConcurrencyLimiter());

/**
 * Returns the limits that apply to a caller's writes on a route. A platform administrator's write counts for the
 * organization in the request. Writes by API key count for its creator. Switching the organization counts only for
 * the person, so that colleagues' writes do not delay it.
 */
export function writeLimits(
  { connections }: Pick<RouteDefinition, "connections">,
  { actor, organizationId, organizations }: CallerAccess,
): ConcurrencyLimit[] {
  const ofPerson = { key: personOf(actor), ...PER_PERSON };
  if (connections === "sign-in") return [ofPerson];
  const named = organizationId ?? (organizations?.length === 1 ? organizations[0] : undefined);
  const key = named ?? actor.claims.organization?.id;
  return key === undefined ? [ofPerson] : [ofPerson, { key, ...PER_ORGANIZATION }];
}
