import { LRUCache } from "lru-cache";
import * as access from "#sql/access";
import { tokenHash } from "../../platform/crypto.ts";
import { notFound, tooManyRequests } from "../../platform/errors.ts";
import { userAgentFrom } from "../../platform/http/headers.ts";
import { Rate, type RateState, rateLimitField } from "../../platform/limits/rate.ts";
import { allowsApiKeys, type MachineActor } from "../access/access.ts";
import { isApiKey } from "../access/api-key-form.ts";
import type { FoundKey } from "../access/api-keys.ts";
import {
  apiKeyNotAllowed,
  ipNotAllowed,
  organizationOfKeyIsSuspended,
  unauthenticated,
} from "../access/errors.ts";
import type { App } from "../context.ts";
import { LIMITS } from "../definitions/limits.ts";
import { auditBestEffort } from "../effects/audit.ts";
import { memoizePerApp } from "../memoize-per-app.ts";
import type { RequestContext } from "./request-context.ts";
import type { RouteDefinition } from "./route.ts";
import { findKnownKey } from "./unknown-keys.ts";

const HOUR_MS = 3_600_000;
const MAX_REFUSED = 10_000;

/** The rate limits of API keys on one instance. Each instance counts separately. */
const limitsOf = memoizePerApp(({ config }) => {
  const { keyRequests, keyRequestsOfOrganization } = LIMITS;
  const ofKeys = new Rate({ ...keyRequests, points: config.apiKeyRateLimit });
  const ofOrganizations = new Rate({
    ...keyRequestsOfOrganization,
    points: config.apiKeyRateLimitOrganization,
  });
  return {
    ofKeys,
    ofOrganizations,
    policy: `${ofKeys.policy("key")}, ${ofOrganizations.policy("organization")}`,
    /** The API keys whose rejection was audited in the last hour, by any instance. */
    refused: new LRUCache<string, true>({ max: MAX_REFUSED, ttl: HOUR_MS }),
  };
});

/** Returns the limit of an organization's requests, which its API keys and its apps share. */
export const requestsOfOrganizations = (app: App): Rate => limitsOf(app).ofOrganizations;

type Route = Pick<RouteDefinition, "access" | "apiKeys">;

/**
 * Verifies an API key and decides whether it may call a route, in the order that rules 2.4 define. Reads only headers. Costs
 * one query; a key with a wrong form or checksum costs none.
 * @throws unauthenticated for a key that is malformed, unknown, ended or disabled; tooManyRequests; ipNotAllowed;
 * organizationOfKeyIsSuspended; apiKeyNotAllowed
 */
export async function authenticateKey(
  route: Route,
  token: string,
  request: Request,
  context: RequestContext,
): Promise<MachineActor> {
  if (!isApiKey(token)) {
    count(context, "malformed");
    throw unauthenticated();
  }
  const key = await findKnownKey(tokenHash(token), request, context);
  if (key === null) {
    count(context, "unknown");
    throw unauthenticated();
  }
  const actor = usableActor(key);
  if (typeof actor === "string") {
    count(context, actor);
    if (actor !== "disabled") await auditRefusal(context, key, actor, request);
    throw unauthenticated();
  }
  context.serviceAccountId = actor.id;
  context.apiKeyId = actor.keyId;
  countRequest(context, key);
  if (!key.isAddressAllowed) {
    count(context, "address");
    await auditRefusal(context, key, "address", request);
    throw ipNotAllowed();
  }
  count(context, "loaded");
  if (key.isSuspended) throw organizationOfKeyIsSuspended();
  if (!allowsApiKeys(route)) throw route.access === "app" ? notFound() : apiKeyNotAllowed();
  return actor;
}

type Refusal = "revoked" | "expired" | "disabled";

/** Returns the actor of a key that may be used; otherwise the reason why it must not. */
function usableActor({ isRevoked, isExpired, actor }: FoundKey): MachineActor | Refusal {
  if (isRevoked) return "revoked";
  if (isExpired) return "expired";
  return actor ?? "disabled";
}

/**
 * Counts a request with an API key for the rate limits, and sets the headers that report them. @throws
 * tooManyRequests
 */
function countRequest(context: RequestContext, { id, organizationId }: FoundKey): void {
  const { app } = context;
  const { ofKeys, ofOrganizations, policy } = limitsOf(app);
  const key = ofKeys.count(id);
  // A request above the key's own limit is not counted for the organization, so that the organization's other keys
  // still work.
  const organization = key.isReached
    ? ofOrganizations.peek(organizationId)
    : ofOrganizations.count(organizationId);
  context.rateLimit = {
    policy,
    state: `${rateLimitField("key", key)}, ${rateLimitField("organization", organization)}`,
  };
  assertBelow(context, "key", key);
  assertBelow(context, "organization", organization);
}

function assertBelow({ app }: RequestContext, limited: string, { isReached, secondsLeft }: RateState): void {
  if (!isReached) return;
  app.meter.count("api_keys_limited_total", { policy: limited });
  throw tooManyRequests(secondsLeft);
}

const count = ({ app }: RequestContext, outcome: string) =>
  app.meter.count("api_key_verifications_total", { outcome });

/** Audits that an API key was rejected, at most once an hour for each key over all instances. */
async function auditRefusal(
  context: RequestContext,
  { id, serviceAccountId, organizationId, start }: FoundKey,
  reason: "revoked" | "expired" | "address",
  { headers }: Request,
): Promise<void> {
  const { app, db, requestId, ip } = context;
  const { refused } = limitsOf(app);
  if (refused.has(id)) return;
  refused.set(id, true);
  const call = { app, db, log: app.log, actor: null, requestId, ip, userAgent: userAgentFrom(headers) };
  await auditBestEffort(
    call,
    "API_KEY_REFUSED",
    {
      organizationId,
      // The audit event has no actor, so only callers who may read events of the whole organization see it.
      target: { type: "api_key", id, unitIds: [null] },
      metadata: { serviceAccountId, start, reason },
    },
    async (tx) => (await access.beginHourOfRefusals.run({ keyId: id }, tx)).length > 0,
  );
}
