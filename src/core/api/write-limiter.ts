import { type ConcurrencyLimit, ConcurrencyLimiter } from "../../platform/concurrency-limiter.ts";
import { memoizePerApp } from "../memoize-per-app.ts";
import type { CallerAccess } from "./guard.ts";
import type { RouteDefinition } from "./route.ts";

const PER_ACCOUNT = { max: 2, maxWaiting: 64 };
const PER_ORGANIZATION = { max: 4, maxWaiting: 128 };

/**
 * Limits how many writes of one account, or in one organization, use a connection at once. Writes of one organization
 * often wait for the same lock; without a limit they would use all connections while they wait. Each instance counts
 * separately.
 */
export const writeLimiterOf = memoizePerApp(() => new ConcurrencyLimiter());

/**
 * Returns the limits that apply to a caller's writes on a route. A platform administrator's write counts for the
 * organization in the request. Switching the organization counts only for the account, so that colleagues' writes
 * do not delay it.
 */
export function writeLimits(
  { connections }: Pick<RouteDefinition, "connections">,
  { actor: { id, claims }, organizationId, organizations }: CallerAccess,
): ConcurrencyLimit[] {
  const ofAccount = { key: id, ...PER_ACCOUNT };
  if (connections === "sign-in") return [ofAccount];
  const named = organizationId ?? (organizations?.length === 1 ? organizations[0] : undefined);
  const key = named ?? claims.organization?.id;
  return key === undefined ? [ofAccount] : [ofAccount, { key, ...PER_ORGANIZATION }];
}
