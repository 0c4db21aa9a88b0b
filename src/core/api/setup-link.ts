import * as access from "#sql/access";
import { isToken, tokenHash } from "../../platform/crypto.ts";
import { tooManyRequests } from "../../platform/errors.ts";
import { Rate } from "../../platform/limits/rate.ts";
import { SETUP_PREFIX, type SetupActor, type SetupPart } from "../access/access.ts";
import { organizationOfKeyIsSuspended, unauthenticated } from "../access/errors.ts";
import { LIMITS } from "../definitions/limits.ts";
import { memoizePerApp } from "../memoize-per-app.ts";
import type { RequestContext } from "./request-context.ts";
import type { RouteDefinition } from "./route.ts";

/** What a setup link holds in its organization; its routes allow much less. */
const PERMISSIONS = ["SingleSignOn.Read", "SingleSignOn.Update"];

const requestsOf = memoizePerApp(() => new Rate(LIMITS.setupRequests));

/** Whether a bearer token is intended to be that of a setup link. */
export const looksLikeSetupToken = (token: string): boolean => token.startsWith(SETUP_PREFIX);

/**
 * Verifies the token of a setup link, on a route that is marked for it.
 * @throws unauthenticated on every other route, and for a link that is unknown, finished, revoked or expired, or whose
 * creator is no longer a member; tooManyRequests; organizationOfKeyIsSuspended
 */
export async function authenticateSetup(
  route: Pick<RouteDefinition, "access" | "setup">,
  token: string,
  { app, db }: RequestContext,
): Promise<SetupActor> {
  if (route.access !== "setup-link" && route.setup === undefined) throw unauthenticated();
  const secret = token.slice(SETUP_PREFIX.length);
  if (!app.config.sso || !isToken(secret)) throw unauthenticated();
  const [link] = await access.findSetupLink.run({ tokenHash: tokenHash(secret) }, db);
  if (link === undefined) throw unauthenticated();
  const what = link.what as SetupPart[];
  if (route.setup !== undefined && !what.includes(route.setup)) throw unauthenticated();
  const { isReached, secondsLeft } = requestsOf(app).count(link.id);
  if (isReached) throw tooManyRequests(secondsLeft);
  if (link.isSuspended) throw organizationOfKeyIsSuspended();
  const organization = { id: link.organizationId, name: link.organizationName, slug: link.organizationSlug };
  return {
    type: "setup_link",
    id: link.id,
    userId: null,
    email: link.email,
    what,
    isPlatformAdmin: false,
    claims: { organization, roles: [], permissions: PERMISSIONS, unitGrants: [] },
  };
}
