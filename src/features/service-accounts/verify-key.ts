import { LRUCache } from "lru-cache";
import { memoizePerApp, Rate, tokenHash, tooManyRequests, unauthenticated } from "#kit";
import { auditBestEffort, type RequestContext } from "#kit/inside";
import * as queries from "#sql/service-accounts";
import type { MachineActor } from "../../core/access/access.ts";
import { ipNotAllowed, organizationOfKeyIsSuspended } from "../../core/access/errors.ts";
import { isApiKey } from "../../core/access/token-forms.ts";
import { type FoundKey, findKnownKey } from "./find-api-key.ts";
import { LIMITS } from "./limits.ts";
import { countRequest } from "./organization-requests.ts";

const HOUR_MS = 3_600_000;
const MAX_REFUSED = 10_000;

/** What an instance remembers about the requests with API keys. Each instance counts separately. */
const memoryOf = memoizePerApp(({ config }) => ({
  requests: new Rate({ ...LIMITS.keyRequests, points: config.apiKeyRateLimit }),
  /** The API keys whose rejection was audited in the last hour, by any instance. */
  refused: new LRUCache<string, true>({ max: MAX_REFUSED, ttl: HOUR_MS }),
}));

/**
 * Verifies an API key. Reads only headers. Costs one query; a key with a wrong form or checksum costs none.
 * @throws unauthenticated for a key that is malformed, unknown, ended or disabled; tooManyRequests; ipNotAllowed;
 * organizationOfKeyIsSuspended
 */
export async function verifyKey(
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
    if (actor !== "disabled") await auditRefusal(context, key, actor);
    throw unauthenticated();
  }
  context.serviceAccountId = actor.id;
  context.apiKeyId = actor.keyId;
  assertBelowLimits(context, key);
  if (!key.isAddressAllowed) {
    count(context, "address");
    await auditRefusal(context, key, "address");
    throw ipNotAllowed();
  }
  count(context, "loaded");
  if (key.isSuspended) throw organizationOfKeyIsSuspended();
  return actor;
}

type Refusal = "revoked" | "expired" | "disabled";

/** Returns the actor of a key that may be used; otherwise the reason why it must not. */
function usableActor({ isRevoked, isExpired, actor }: FoundKey): MachineActor | Refusal {
  if (isRevoked) return "revoked";
  if (isExpired) return "expired";
  return actor ?? "disabled";
}

/** Counts a request with an API key for the limits of the key and its organization. @throws tooManyRequests */
function assertBelowLimits(context: RequestContext, { id, organizationId }: FoundKey): void {
  const { app } = context;
  const reached = countRequest(context, memoryOf(app).requests, { kind: "key", id, organizationId });
  if (reached === null) return;
  app.meter.count("api_keys_limited_total", { policy: reached.limited });
  throw tooManyRequests(reached.secondsLeft);
}

const count = ({ app }: RequestContext, outcome: string) =>
  app.meter.count("api_key_verifications_total", { outcome });

/** Audits that an API key was rejected, at most once an hour for each key over all instances. */
async function auditRefusal(
  context: RequestContext,
  { id, serviceAccountId, organizationId, start }: FoundKey,
  reason: "revoked" | "expired" | "address",
): Promise<void> {
  const { app, db, requestId, ip, userAgent } = context;
  const { refused } = memoryOf(app);
  if (refused.has(id)) return;
  refused.set(id, true);
  const call = { app, db, log: app.log, actor: null, requestId, ip, userAgent };
  await auditBestEffort(
    call,
    "API_KEY_REFUSED",
    {
      organizationId,
      // The audit event has no actor, so only callers who may read events of the whole organization see it.
      target: { type: "api_key", id, unitIds: [null] },
      metadata: { serviceAccountId, start, reason },
    },
    async (tx) => (await queries.beginHourOfRefusals.run({ keyId: id }, tx)).length > 0,
  );
}
