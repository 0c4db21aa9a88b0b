import { LRUCache } from "lru-cache";
import { tokenHash } from "../../platform/crypto.ts";
import { tooManyRequests } from "../../platform/errors.ts";
import { throttleKey } from "../../platform/http/client-address.ts";
import { Rate, rateLimitField } from "../../platform/limits/rate.ts";
import { allowsApps, type UserActor } from "../access/access.ts";
import { type AppResource, appNotAllowed } from "../access/app-errors.ts";
import { isAppSecret } from "../access/app-token-form.ts";
import { findAppToken } from "../access/app-tokens.ts";
import { organizationOfKeyIsSuspended, twoFactorRequired } from "../access/errors.ts";
import { invalidAppToken } from "../access/invalid-app-token.ts";
import { isTwoFactorRequired } from "../access/two-factor.ts";
import { LIMITS } from "../definitions/limits.ts";
import { memoizePerApp } from "../memoize-per-app.ts";
import { requestsOfOrganizations } from "./api-key.ts";
import type { RequestContext } from "./request-context.ts";
import type { RouteDefinition } from "./route.ts";

/** The limits of connected apps on one instance. Each instance counts separately. */
const limitsOf = memoizePerApp(({ config }) => ({
  ofGrants: new Rate({ ...LIMITS.appRequests, points: config.oauthRateLimit }),
  /** The digests of tokens that do not exist. Tokens are random, so none of them will be created later. */
  unknown: new LRUCache<string, true>({ max: 10_000, ttl: 60_000 }),
  unknownPerAddress: new Rate(LIMITS.unknownAppTokens),
}));

/**
 * Counts a token, code, client or secret of an app that does not exist for the limit of its address. Those that exist never
 * count: one address serves all users of a hosted agent.
 * @throws tooManyRequests from the 61st of an address in a minute on
 */
export function countUnknownAppToken({ app, ip }: Pick<RequestContext, "app" | "ip">): void {
  const { isReached, secondsLeft } = limitsOf(app).unknownPerAddress.count(throttleKey(ip));
  if (isReached) throw tooManyRequests(secondsLeft);
}

const refused = ({ app }: RequestContext, resource: AppResource) => invalidAppToken(app.config, resource);

/**
 * Verifies the access token of an app for one resource, and counts the request for the limits of its grant and its
 * organization. Costs one query; a token with a wrong form or checksum costs none.
 * @throws unauthenticated for a token that is malformed, unknown, ended, or for the other resource; tooManyRequests;
 * organizationOfKeyIsSuspended; twoFactorRequired
 */
export async function verifyApp(
  token: string,
  resource: AppResource,
  context: RequestContext,
): Promise<UserActor> {
  const { app, db, ip } = context;
  const { config } = app;
  if (!config.oauth || !isAppSecret("a", token)) throw refused(context, resource);
  const digest = tokenHash(token);
  const { unknown } = limitsOf(app);
  const found = unknown.has(digest) ? null : await findAppToken(db, digest, { ip, config });
  if (found === null) {
    unknown.set(digest, true);
    countUnknownAppToken(context);
  }
  if (found === null || found.actor === null || found.actor.app.resource !== resource) {
    count(context, resource, "refused");
    throw refused(context, resource);
  }
  const { actor, grantId } = found;
  context.userId = actor.userId;
  context.grantId = grantId;
  countRequest(context, grantId, found.actor.app.held.organization.id, resource);
  if (found.isSuspended) throw organizationOfKeyIsSuspended();
  const lacksFactor = isTwoFactorRequired(config, actor) && !found.hasSecondFactor;
  if (lacksFactor || (config.sso && found.lacksFactorThere)) throw twoFactorRequired();
  count(context, resource, "accepted");
  return actor;
}

/** Verifies an app's access token at the ordinary API, and that apps may call the route. @throws the errors of `verifyApp`; appNotAllowed */
export async function authenticateApp(
  route: Pick<RouteDefinition, "access" | "apps" | "method">,
  token: string,
  context: RequestContext,
): Promise<UserActor> {
  const actor = await verifyApp(token, "api", context);
  if (!allowsApps(route)) throw appNotAllowed();
  return actor;
}

/** Counts a request for the limits of its grant and of its organization, whose API keys count with it. @throws tooManyRequests */
function countRequest(
  context: RequestContext,
  grantId: string,
  organizationId: string,
  resource: AppResource,
): void {
  const { app } = context;
  const { ofGrants } = limitsOf(app);
  const ofOrganizations = requestsOfOrganizations(app);
  const grant = ofGrants.count(grantId);
  // A request above the grant's own limit is not counted for the organization, as for a key.
  const organization = grant.isReached
    ? ofOrganizations.peek(organizationId)
    : ofOrganizations.count(organizationId);
  context.rateLimit = {
    policy: `${ofGrants.policy("grant")}, ${ofOrganizations.policy("organization")}`,
    state: `${rateLimitField("grant", grant)}, ${rateLimitField("organization", organization)}`,
  };
  const reached = grant.isReached ? grant : organization;
  if (!reached.isReached) return;
  count(context, resource, "limited");
  throw tooManyRequests(reached.secondsLeft);
}

const count = ({ app }: RequestContext, resource: AppResource, outcome: string) =>
  app.meter.count("app_requests_total", { resource, outcome });
