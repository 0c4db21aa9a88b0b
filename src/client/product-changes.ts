import type { Caller } from "./product-caller.ts";
import type { Manifest, Name } from "./product-names.ts";

/**
 * Whose administrators see an entry: those of the whole organization, of a unit, or of a person's units. Default: the
 * organization's.
 */
export type Reach = "organization" | { readonly unitId: string } | { readonly userId: string };

type Fields = Readonly<Record<string, string | number | boolean | null>>;
type Reference = { readonly userId: string } | { readonly serviceAccountId: string };

/** What happened at the product. All of it is written together, or nothing. */
export type Changes<M extends Manifest = Manifest> = {
  readonly organizationId: string;
  /** Who did it, or the `actor` of a caller; null: the product itself. */
  readonly actor: Reference | Pick<Caller["actor"], "type" | "id"> | null;
  /** The address that the product saw. */
  readonly ip?: string;
  /** The id of the request in the product's logs. */
  readonly requestId?: string;
  /** Sets how much a record counts towards a limit of the plan; 0 if it no longer counts. */
  readonly usage?: readonly {
    readonly limit: Name<M, "limits">;
    readonly id: string;
    readonly amount: number;
    /** `false` records the amount although the limit is reached. */
    readonly enforce?: boolean;
  }[];
  readonly audit?: readonly {
    readonly action: Name<M, "audit">;
    /** A UUID; of another id `product.id(record, key)`. */
    readonly targetId: string;
    /** Fills the text of the action. */
    readonly metadata?: Fields;
    readonly reach?: Reach;
  }[];
  readonly events?: readonly {
    readonly type: Name<M, "events">;
    /** A UUID; of another id `product.id(record, key)`. */
    readonly objectId: string;
    readonly object: Readonly<Record<string, unknown>>;
    readonly previous?: Readonly<Record<string, unknown>>;
    readonly reach?: Reach;
  }[];
  readonly notifications?: readonly {
    readonly type: Name<M, "notifications">;
    readonly userIds: readonly string[];
    /** Fills the text and the link of the notification. */
    readonly data?: Fields;
  }[];
};

export type ChangesOptions = {
  /** The key of this call. Repeat the call with the same key until a response arrives: it takes effect once. */
  readonly idempotencyKey: string;
  /**
   * How often the call is repeated at once after a temporary failure. Default: 3, after 0.5, 1 and 2 seconds or
   * `Retry-After`. Use 0 if an outbox repeats it.
   */
  readonly retries?: number;
  /** The timeout of each attempt in milliseconds. Default: 30 seconds. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
};

/** How much of a limit is used. */
export type Usage<M extends Manifest = Manifest> = {
  readonly limit: Name<M, "limits">;
  readonly used: number;
  /** Null if the plan does not limit it. */
  readonly max: number | null;
};

/** What the service wrote. */
export type Written<M extends Manifest = Manifest> = {
  readonly usage: readonly Usage<M>[];
  readonly eventIds: readonly string[];
  /** The number of persons who were notified. */
  readonly notified: number;
};

/** Returns how the service names an actor. */
export function referenceOf(actor: Changes["actor"]): Reference | null {
  if (actor === null || !("type" in actor)) return actor;
  return actor.type === "user" ? { userId: actor.id } : { serviceAccountId: actor.id };
}
