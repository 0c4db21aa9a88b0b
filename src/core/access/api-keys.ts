import { LRUCache } from "lru-cache";
import * as access from "#sql/access";
import { tokenHash } from "../../platform/crypto.ts";
import type { Queryable } from "../../platform/db/prepared-query.ts";
import { inetOf } from "../../platform/http/client-address.ts";
import type { MachineActor } from "./access.ts";
import { activeOrganizationOf } from "./active-organization.ts";
import { type AllowedAddresses, parseRanges } from "./allowed-addresses.ts";

const MAX_CACHED = 10_000;
/**
 * How long a cached key is valid without a query: while the change feed is connected and announces every change,
 * and while it is disconnected.
 */
const LIFETIME_MS = 30_000;
const LIFETIME_WITHOUT_FEED_MS = 5_000;
const MAX_KNOWN = 50_000;
const KNOWN_MS = 24 * 3_600_000;
const MAX_UNKNOWN = 10_000;
const UNKNOWN_MS = 60_000;

/** An API key with the grants of its service account, as read at one moment. */
export type LoadedKey = {
  readonly id: string;
  readonly serviceAccountId: string;
  readonly organizationId: string;
  readonly start: string;
  readonly isRevoked: boolean;
  /** The expiry of the key, on the clock of `performance.now()`. */
  readonly endsAt: number;
  readonly isSuspended: boolean;
  readonly allowed: AllowedAddresses | null;
  /** The service account of the key; null if it is disabled or deleted, or if its organization is deleted. */
  readonly actor: MachineActor | null;
  /**
   * The time just before the key was read, on the clock of `performance.now()`. Changes after this time may be
   * missing.
   */
  readonly readAt: number;
};

/**
 * Finds API keys by their digest, with the grants of their service accounts, and caches them. While a cached key is
 * fresh, a request with it needs no query.
 *
 * A key is fresh if it was read after the last announcement of a change of the key, its service account or its
 * organization. This also covers a read that began before an announcement and ended after it.
 */
export class ApiKeys {
  private readonly cached = new LRUCache<string, LoadedKey>({ max: MAX_CACHED });
  /** The digests of keys that exist and were looked up in the last 24 hours. */
  private readonly known = new LRUCache<string, true>({ max: MAX_KNOWN, ttl: KNOWN_MS });
  /**
   * The digests of well-formed keys that do not exist. A digest cannot belong to a key that is created later,
   * because keys are random.
   */
  private readonly unknown = new LRUCache<string, true>({ max: MAX_UNKNOWN, ttl: UNKNOWN_MS });
  /**
   * When a change of each id was announced, oldest first. Entries are kept as long as a key that was read before
   * may be cached.
   */
  private readonly announced = new Map<string, number>();
  private droppedAt = Number.NEGATIVE_INFINITY;
  private isFollowing: () => boolean = () => false;

  /** Sets the function that returns whether the change feed is connected. Without it, keys are cached for a shorter time. */
  follow(isConnected: () => boolean): void {
    this.isFollowing = isConnected;
  }

  /**
   * Discards what is cached about a key, a service account or an organization, and results that are being read now.
   */
  announce(id: string): void {
    const now = performance.now();
    this.announced.delete(id);
    this.announced.set(id, now);
    for (const [earlier, at] of this.announced) {
      if (at > now - LIFETIME_MS) break;
      this.announced.delete(earlier);
    }
  }

  /** Discards everything that is cached or being read, because announcements may have been missed. */
  dropAll(): void {
    this.droppedAt = performance.now();
    this.announced.clear();
  }

  /** Returns a cached key that is fresh, or null. Runs no query. */
  findCached(digest: string, now: number): LoadedKey | null {
    const key = this.cached.get(digest);
    return key !== undefined && this.isFresh(key, now) ? key : null;
  }

  /** Whether an API key was looked up before, so that it is known whether it exists. */
  isKnown(digest: string): boolean {
    return this.known.has(digest) || this.unknown.has(digest);
  }

  /**
   * Looks up an API key that is not cached. Records its use in the database, at most every ten minutes.
   * @throws errors of the database
   */
  async load(db: Queryable, digest: string, ip: string): Promise<LoadedKey | null> {
    if (this.unknown.has(digest)) return null;
    const readAt = performance.now();
    const rows = await access.verifyApiKey.run({ tokenHash: digest, ip: inetOf(ip) }, db);
    const [row] = rows;
    if (row === undefined) {
      this.unknown.set(digest, true);
      return null;
    }
    this.known.set(digest, true);
    const { keyId: id, serviceAccountId, organizationOfKey, start, allowedIps, endsInMs } = row;
    const claims = row.isLive ? await activeOrganizationOf(rows, db) : null;
    const organization = claims?.organization ?? null;
    const key: LoadedKey = {
      id,
      serviceAccountId,
      organizationId: organizationOfKey,
      start,
      isRevoked: row.isRevoked,
      endsAt: endsInMs === null ? Number.POSITIVE_INFINITY : readAt + endsInMs,
      isSuspended: row.organizationStatus === "SUSPENDED",
      allowed: allowedIps && parseRanges(allowedIps),
      actor: claims &&
        organization && {
          type: "service_account",
          id: serviceAccountId,
          userId: null,
          keyId: id,
          isPlatformAdmin: false,
          claims: { ...claims, organization },
        },
      readAt,
    };
    if (this.isFresh(key, performance.now())) this.cached.set(digest, key);
    return key;
  }

  private isFresh({ id, serviceAccountId, organizationId, readAt }: LoadedKey, now: number): boolean {
    const lifetime = this.isFollowing() ? LIFETIME_MS : LIFETIME_WITHOUT_FEED_MS;
    if (readAt <= this.droppedAt || now - readAt >= lifetime) return false;
    if (this.announced.size === 0) return true;
    return [id, serviceAccountId, organizationId].every((of) => (this.announced.get(of) ?? 0) < readAt);
  }
}

/** Returns the digest under which an API key is cached and stored. */
export const digestOfKey = tokenHash;
