import { type TurnLimit, TurnLimiter } from "../../platform/turn-limiter.ts";
import { perApp } from "../per-app.ts";
import type { CallerAccess } from "./guard.ts";
import type { RouteDefinition } from "./route.ts";

const PER_ACCOUNT = { max: 2, maxWaiting: 64 };
const PER_ORGANIZATION = { max: 4, maxWaiting: 128 };

/**
 * Limits how many writes of one account, or in one organization, hold a connection at once. Writes of one organization
 * often wait for one lock; without a limit they would do so with all of the connections. Each instance counts for itself.
 */
export const writeLimiterOf = perApp(() => new TurnLimiter());

/**
 * The limits of a caller's writes on a route. A platform administrator counts in the organization that the request
 * names. Switching counts for the account alone, so that colleagues' writes do not delay it.
 */
export function writeLimits(
  { connections }: Pick<RouteDefinition, "connections">,
  { actor: { userId, claims }, organizationId, organizations }: CallerAccess,
): TurnLimit[] {
  const ofAccount = { key: userId, ...PER_ACCOUNT };
  if (connections === "sign-in") return [ofAccount];
  const named = organizationId ?? (organizations?.length === 1 ? organizations[0] : undefined);
  const key = named ?? claims.organization?.id;
  return key === undefined ? [ofAccount] : [ofAccount, { key, ...PER_ORGANIZATION }];
}
