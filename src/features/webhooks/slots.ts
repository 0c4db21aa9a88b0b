import ipaddr from "ipaddr.js";

const MAX_PER_ADDRESS = 5;
const MAX_PER_ORGANIZATION = 10;

type Release = () => void;

/** Limits the number of concurrent operations per key. */
class Slots {
  private readonly used = new Map<string, number>();

  constructor(private readonly max: number) {}

  count = (key: string): number => this.used.get(key) ?? 0;

  /**
   * Reserves a slot for a key. Returns a function that releases the slot; null if all slots of the key are in use.
   */
  acquire(key: string): Release | null {
    const count = this.count(key);
    if (count >= this.max) return null;
    this.used.set(key, count + 1);
    return () => {
      const left = this.count(key) - 1;
      if (left === 0) this.used.delete(key);
      else this.used.set(key, left);
    };
  }

  /** Returns the keys whose slots are all in use. */
  full(): string[] {
    return [...this.used].flatMap(([key, count]) => (count >= this.max ? [key] : []));
  }
}

/** Limits the concurrent requests to one IP address to five, whatever the port. */
export class AddressSlots {
  private readonly slots = new Slots(MAX_PER_ADDRESS);

  acquire = (address: string): Release | null =>
    this.slots.acquire(ipaddr.process(address).toNormalizedString());
}

/**
 * How well an endpoint works. `quick`: its last requests succeeded quickly. `unproven`: no delivery to it ever
 * succeeded. `impaired`: one of its last requests failed or was slow.
 */
export type EndpointHealth = "quick" | "unproven" | "impaired";

/**
 * For each health: the share of all slots that endpoints of this health, and of those listed after it, may use together.
 */
const SHARES: [EndpointHealth, number][] = [
  ["quick", 1],
  ["unproven", 0.8],
  ["impaired", 0.4],
];
export const HEALTHS = SHARES.map(([health]) => health);
/** While only this share of the slots is free, an organization that already uses a slot gets no more. */
const RESERVE = 0.2;

/**
 * Limits the concurrent webhook requests of an instance. An endpoint that hangs uses a slot for 15 seconds. So impaired
 * and unproven endpoints may use only a share of the slots, and one organization cannot use the reserve, even if many of
 * its quick endpoints begin to hang at once.
 */
export class RequestSlots {
  private readonly organizations = new Slots(MAX_PER_ORGANIZATION);
  private readonly used: Record<EndpointHealth, number> = { quick: 0, unproven: 0, impaired: 0 };

  constructor(private readonly max: number) {}

  acquire(organizationId: string, health: EndpointHealth): Release | null {
    const isReserved = this.free("quick") <= Math.floor(this.max * RESERVE);
    if (this.free(health) <= 0 || (isReserved && this.organizations.count(organizationId) > 0)) return null;
    const release = this.organizations.acquire(organizationId);
    if (release === null) return null;
    this.used[health] += 1;
    return () => {
      release();
      this.used[health] -= 1;
    };
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
    const at = SHARES.findIndex(([one]) => one === health);
    const freeByShare = SHARES.slice(0, at + 1).map(([, share], from) => {
      const used = SHARES.slice(from).reduce((sum, [one]) => sum + this.used[one], 0);
      return Math.max(1, Math.floor(this.max * share)) - used;
    });
    return Math.max(0, Math.min(...freeByShare));
  }

  busyOrganizations = () => this.organizations.full();
}
