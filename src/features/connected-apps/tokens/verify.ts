import { LRUCache } from "lru-cache";
import { memoizePerApp, Rate, tokenHash, tooManyRequests } from "#kit";
import type { RequestContext } from "#kit/inside";
import type { AppResource, UserActor } from "../../../core/access/access.ts";
import { invalidAppToken } from "../../../core/access/app-errors.ts";
import { organizationOfKeyIsSuspended, twoFactorRequired } from "../../../core/access/errors.ts";
import { isTwoFactorRequired } from "../../../core/access/proofs.ts";
import { isAppSecret } from "../../../core/access/token-forms.ts";
import { throttleKey } from "../../../platform/http/client-address.ts";
import { countRequest } from "../../service-accounts/organization-requests.ts";
import { LIMITS } from "../limits.ts";
import { findAppToken } from "./find.ts";

/** What an instance remembers about the requests of connected apps. Each instance counts separately. */
const memoryOf = memoizePerApp(({ config }) => ({
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
  const { isReached, secondsLeft } = memoryOf(app).unknownPerAddress.count(throttleKey(ip));
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
  const { unknown } = memoryOf(app);
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
  const organizationId = found.actor.app.held.organization.id;
  const limit = countRequest(context, memoryOf(app).ofGrants, { kind: "grant", id: grantId, organizationId });
  if (limit !== null) {
    count(context, resource, "limited");
    throw tooManyRequests(limit.secondsLeft);
  }
  if (found.isSuspended) throw organizationOfKeyIsSuspended();
  const lacksFactor = isTwoFactorRequired(config, actor) && !found.hasSecondFactor;
  if (lacksFactor || (config.sso && found.lacksFactorThere)) throw twoFactorRequired();
  count(context, resource, "accepted");
  return actor;
}

const count = ({ app }: RequestContext, resource: AppResource, outcome: string) =>
  app.meter.count("app_requests_total", { resource, outcome });
