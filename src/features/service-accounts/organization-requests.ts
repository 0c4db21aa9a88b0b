import { memoizePerApp, Rate } from "#kit";
import { type RequestContext, rateLimitField } from "#kit/inside";
import { LIMITS } from "./limits.ts";

const requestsOf = memoizePerApp(
  ({ config }) =>
    new Rate({ ...LIMITS.keyRequestsOfOrganization, points: config.apiKeyRateLimitOrganization }),
);

type Counted = { kind: "key" | "grant"; id: string; organizationId: string };

/**
 * Counts a request with an API key or by an app for the limit of the key or grant, and for that of its organization, which keys
 * and apps share. Sets the headers that report both. Each instance counts separately.
 * @returns the limit that is reached, or null
 */
export function countRequest(context: RequestContext, ofOne: Rate, { kind, id, organizationId }: Counted) {
  const ofOrganizations = requestsOf(context.app);
  const one = ofOne.count(id);
  // A request above the limit of its key is not counted for the organization, so that the organization's other keys
  // still work.
  const organization = one.isReached
    ? ofOrganizations.peek(organizationId)
    : ofOrganizations.count(organizationId);
  context.rateLimit = {
    policy: `${ofOne.policy(kind)}, ${ofOrganizations.policy("organization")}`,
    state: `${rateLimitField(kind, one)}, ${rateLimitField("organization", organization)}`,
  };
  if (one.isReached) return { limited: kind, secondsLeft: one.secondsLeft };
  return organization.isReached ? { limited: "organization", secondsLeft: organization.secondsLeft } : null;
}
