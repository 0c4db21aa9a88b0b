const MAX_PER_ADDRESS = 5;
const MAX_PER_ORGANIZATION = 10;

type Release = () => void;

/** Limits the number of concurrent operations per key. */
class Slots {
  private readonly used = new Map<string, number>();

  constructor(private readonly max: number) {}

  /**
   * Reserves a slot for a key. Returns a function that releases the slot; null if all slots of the key are in use.
   */
  take(key: string): Release | null {
    const count = this.used.get(key) ?? 0;
    if (count >= this.max) return null;
    this.used.set(key, count + 1);
    return () => {
      const left = (this.used.get(key) ?? 1) - 1;
      if (left === 0) this.used.delete(key);
      else this.used.set(key, left);
    };
  }

  /** Returns the keys of which all slots are in use. */
  full(): string[] {
    return [...this.used].flatMap(([key, count]) => (count >= this.max ? [key] : []));
  }
}

/** Limits the concurrent requests to one IP address and port to five. */
export class AddressSlots extends Slots {
  constructor() {
    super(MAX_PER_ADDRESS);
  }
}

/**
 * Whether an endpoint is failing, and whether a delivery to it ever succeeded. Failing and unproven endpoints may
 * use only some of the slots.
 */
export type Standing = { isFailing: boolean; isProven: boolean };

/**
 * Limits the concurrent webhook requests of an instance. An endpoint that hangs uses a slot for 15 seconds. So
 * failing endpoints may use at most two fifths of all slots. Failing and never successful endpoints together may
 * use at most four fifths; the rest is reserved for working endpoints.
 */
export class RequestSlots {
  private readonly organizations = new Slots(MAX_PER_ORGANIZATION);
  private failing = 0;
  private unproven = 0;
  private all = 0;

  constructor(private readonly max: number) {}

  take(organizationId: string, { isFailing, isProven }: Standing): Release | null {
    if (this.all >= this.max) return null;
    if (isFailing && !this.hasRoomForFailing()) return null;
    if (!isProven && !this.hasRoomForUnproven()) return null;
    const release = this.organizations.take(organizationId);
    if (release === null) return null;
    this.all += 1;
    if (isFailing) this.failing += 1;
    if (isFailing || !isProven) this.unproven += 1;
    return () => {
      release();
      this.all -= 1;
      if (isFailing) this.failing -= 1;
      if (isFailing || !isProven) this.unproven -= 1;
    };
  }

  free = () => this.max - this.all;
  hasRoomForFailing = () =>
    this.failing < Math.max(1, Math.floor(this.max * 0.4)) && this.hasRoomForUnproven();
  hasRoomForUnproven = () => this.unproven < Math.max(1, Math.floor(this.max * 0.8));
  busyOrganizations = () => this.organizations.full();
}
