const MAX_PER_ADDRESS = 5;
const MAX_PER_ORGANIZATION = 10;

type Release = () => void;

/** Limits how many things of one key run at once. */
class Slots {
  private readonly used = new Map<string, number>();

  constructor(private readonly max: number) {}

  /** Takes a slot; returns how to release it, or null if none is free. */
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

  /** Returns the keys without a free slot. */
  full(): string[] {
    return [...this.used].flatMap(([key, count]) => (count >= this.max ? [key] : []));
  }
}

/** At most five requests to one address and port at once. */
export class AddressSlots extends Slots {
  constructor() {
    super(MAX_PER_ADDRESS);
  }
}

/** What is known of an endpoint: those that fail, or never succeeded, may not use all slots. */
export type Standing = { isFailing: boolean; isProven: boolean };

/**
 * The slots of an instance for requests to endpoints. Receivers that hang keep a slot for 15 seconds. So endpoints that
 * fail use at most two fifths, and with those that had no success yet four fifths: the rest is for working ones.
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
