import { isToken, memoizePerApp, Rate, tokenHash, tooManyRequests, unauthenticated } from "#kit";
import type { RequestContext, RouteDefinition } from "#kit/inside";
import * as queries from "#sql/sign-on-setup";
import { SETUP_PREFIX, type SetupActor, type SetupPart } from "../../core/access/access.ts";
import { organizationOfKeyIsSuspended } from "../../core/access/errors.ts";
import { LIMITS } from "./limits.ts";

/** What a setup link holds in its organization; its routes allow much less. */
const PERMISSIONS = ["SingleSignOn.Read", "SingleSignOn.Update"];

const requestsOf = memoizePerApp(() => new Rate(LIMITS.setupRequests));

/**
 * Verifies the token of a setup link, on a route that is marked for it.
 * @throws unauthenticated on every other route, and for a link that is unknown, finished, revoked or expired, or whose
 * creator is no longer a member; tooManyRequests; organizationOfKeyIsSuspended
 */
export async function verifySetupLink(
  token: string,
  route: Pick<RouteDefinition, "access" | "setup">,
  { app, db }: RequestContext,
): Promise<SetupActor> {
  if (route.access !== "setup-link" && route.setup === undefined) throw unauthenticated();
  const secret = token.slice(SETUP_PREFIX.length);
  if (!app.config.sso || !isToken(secret)) throw unauthenticated();
  const [link] = await queries.findSetupLink.run({ tokenHash: tokenHash(secret) }, db);
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
