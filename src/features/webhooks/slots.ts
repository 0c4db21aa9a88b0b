import ipaddr from "ipaddr.js";
import { Permits, type Release } from "#kit";
import type { Level } from "#kit/inside";
import { LIMITS } from "./limits.ts";

/** Limits the concurrent requests to one IP address, whatever the port. */
export class AddressSlots {
  private readonly permits = new Permits(LIMITS.requestsToAddress.levels);

  acquire = (address: string): Release | null =>
    this.permits.tryAcquire({ address: ipaddr.process(address).toNormalizedString() });
}

/**
 * How well an endpoint works. `quick`: its last requests succeeded quickly. `unproven`: no delivery to it ever
 * succeeded. `impaired`: one of its last requests failed or was slow.
 */
export type EndpointHealth = "quick" | "unproven" | "impaired";

/** For each health, the shares in which its requests count. */
const SHARES = {
  quick: ["instance"],
  unproven: ["unproven", "instance"],
  impaired: ["impaired", "unproven", "instance"],
} as const;
export const HEALTHS = Object.keys(SHARES) as EndpointHealth[];
/** While only this share of the slots is free, an organization that already uses a slot gets no more. */
const RESERVE = 0.2;

/**
 * Limits the concurrent webhook requests of an instance. Impaired and unproven endpoints may use only a share of the
 * slots, and one organization cannot use the reserve, even if many of its quick endpoints begin to hang at once.
 */
export class RequestSlots {
  private readonly permits: Permits<"organization" | "impaired" | "unproven" | "instance">;

  constructor(private readonly max: number) {
    const { organization, impaired, unproven, instance } = LIMITS.requests.levels;
    const share = (level: Level & { max: number }) => ({
      max: Math.max(1, Math.floor((max * level.max) / instance.max)),
    });
    const shares = { impaired: share(impaired), unproven: share(unproven), instance: { max } };
    this.permits = new Permits({ organization, ...shares });
  }

  acquire(organization: string, health: EndpointHealth): Release | null {
    const isReserved = this.free("quick") <= Math.floor(this.max * RESERVE);
    if (isReserved && this.permits.at("organization", organization).used > 0) return null;
    const shares = Object.fromEntries(SHARES[health].map((share) => [share, ""]));
    return this.permits.tryAcquire({ organization, ...shares });
  }

  /** Reserves as many slots as are free, at most `count`. Returns functions that release them. */
  acquireUpTo(count: number, organizationId: string, health: EndpointHealth): Release[] {
    const acquired: Release[] = [];
    while (acquired.length < count) {
      const release = this.acquire(organizationId, health);
      if (release === null) break;
      acquired.push(release);
    }
    return acquired;
  }

  /** Returns the number of slots that are still free for endpoints of this health. */
  free(health: EndpointHealth): number {
    const shares = SHARES[health].map((share) => this.permits.at(share));
    return Math.min(...shares.map(({ max, used }) => max - used));
  }

  busyOrganizations = () => this.permits.keysUsing("organization", LIMITS.requests.levels.organization.max);
}
