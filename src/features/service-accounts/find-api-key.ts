import { LRUCache } from "lru-cache";
import { memoizePerApp, Permits, type Queryable, Rate, tooManyRequests } from "#kit";
import type { RequestContext } from "#kit/inside";
import * as queries from "#sql/service-accounts";
import type { MachineActor } from "../../core/access/access.ts";
import { organizationOfRows } from "../../core/access/active-organization.ts";
import { inetOf, throttleKey } from "../../platform/http/client-address.ts";
import { LIMITS } from "./limits.ts";

/** An API key that exists, with the permissions of its service account at this moment. */
export type FoundKey = {
  readonly id: string;
  readonly serviceAccountId: string;
  readonly organizationId: string;
  readonly start: string;
  readonly isRevoked: boolean;
  readonly isExpired: boolean;
  readonly isAddressAllowed: boolean;
  readonly isSuspended: boolean;
  /** The service account of the key; null if it is disabled or deleted, or if its organization is deleted. */
  readonly actor: MachineActor | null;
};

/**
 * Finds an API key by its digest. Nothing is cached, so every committed change of the key, its service account, the
 * roles and the organization is in effect on all instances. Records the use of the key, at most every ten minutes.
 */
export async function findApiKey(db: Queryable, digest: string, ip: string | null): Promise<FoundKey | null> {
  const rows = await queries.verifyApiKey.run({ tokenHash: digest, ip: ip === null ? null : inetOf(ip) }, db);
  const [row] = rows;
  if (row === undefined) return null;
  const { keyId: id, serviceAccountId, organizationOfKey: organizationId, createdById } = row;
  const { organization, ...grants } = organizationOfRows(rows);
  return {
    id,
    serviceAccountId,
    organizationId,
    start: row.start,
    isRevoked: row.isRevoked,
    isExpired: row.isExpired,
    isAddressAllowed: row.isAddressAllowed,
    isSuspended: row.organizationStatus === "SUSPENDED",
    actor: organization && {
      type: "service_account",
      id: serviceAccountId,
      userId: null,
      keyId: id,
      personId: createdById ?? serviceAccountId,
      isPlatformAdmin: false,
      claims: { ...grants, organization },
    },
  };
}

/** What an instance remembers about well-formed keys. Each instance counts separately. */
const memoryOf = memoizePerApp(() => ({
  /** The digests of keys that do not exist. Keys are random, so none of them will be created later. */
  unknown: new LRUCache<string, true>({ max: 10_000, ttl: 60_000 }),
  /** The digests of keys that exist. They do not wait for the look-ups of other keys. */
  known: new LRUCache<string, true>({ max: 50_000, ttl: 24 * 3_600_000 }),
  unknownPerAddress: new Rate(LIMITS.unknownKeys),
  lookUps: new Permits(LIMITS.keyLookUps.levels),
}));

/**
 * Counts a key that does not exist for the limit of its address. Product keys and API keys count together.
 * @throws tooManyRequests from the 21st of an address in a minute on
 */
export function countUnknownKey({ app, ip }: Pick<RequestContext, "app" | "ip">): void {
  const { isReached, secondsLeft } = memoryOf(app).unknownPerAddress.count(throttleKey(ip));
  if (!isReached) return;
  app.meter.count("api_keys_limited_total", { policy: "address" });
  throw tooManyRequests(secondsLeft);
}

/**
 * Finds an API key by its digest; returns null if it does not exist. Keys that this instance has not found before are
 * looked up one at a time for each IP address, so a flood of invented keys uses one connection. Only keys that do not
 * exist count for the limit of their address, and only they are rejected by it.
 * @throws tooManyRequests for a key that does not exist, from the 21st of an address in a minute on;
 * serviceUnavailable if the look-up did not begin in time
 */
export async function findKnownKey(
  digest: string,
  request: Request,
  context: RequestContext,
): Promise<FoundKey | null> {
  const { app, db, ip } = context;
  const { known, unknown, lookUps } = memoryOf(app);
  if (unknown.has(digest)) return null;
  if (known.has(digest)) return findApiKey(db, digest, ip);
  const address = throttleKey(ip);
  const deadlineAt = performance.now() + db.maxWaitMs;
  return lookUps.run({ address }, { request, deadlineAt }, async () => {
    // Another request with this key may have been looked up meanwhile.
    if (unknown.has(digest)) return null;
    const key = await findApiKey(db, digest, ip);
    if (key !== null) {
      known.set(digest, true);
      return key;
    }
    unknown.set(digest, true);
    countUnknownKey(context);
    return null;
  });
}
