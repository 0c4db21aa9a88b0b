import { createHash } from "node:crypto";
import { canonicalJson } from "#kit/inside";

/*
 * Computes the digests of sealed audit events (docs/decisions/0024): SHA-256 over canonical JSON (RFC 8785), so
 * that anybody can verify them.
 */

/** The id of the chain for events without an organization. */
export const PLATFORM_CHAIN = "00000000-0000-0000-0000-000000000000";
/** The value that is stored in a batch instead of a digest, if an event was deleted before it was sealed. */
export const REMOVED_DIGEST = "0".repeat(64);

export const chainOf = (organizationId: string | null): string => organizationId ?? PLATFORM_CHAIN;
export const organizationOf = (chain: string): string | null => (chain === PLATFORM_CHAIN ? null : chain);

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Returns the digest of a record or batch. */
export const digestOf = (value: unknown): string => sha256(canonicalJson(value));

/** An event in a batch: its id, its time and the digest of its record. */
export type SealedEvent = { id: string; time: Date; digest: string };

export type Batch = {
  chain: string;
  number: number;
  /** The position of the batch's last event in the chain. */
  position: number;
  sealedAt: Date;
  isCaughtUp: boolean;
  events: SealedEvent[];
};

/**
 * Returns the digest of a batch, computed over its contents and the digest of the previous batch (null for the
 * first batch).
 */
export const digestOfBatch = (batch: Batch, previousDigest: string | null): string =>
  digestOf({
    organizationId: organizationOf(batch.chain),
    number: batch.number,
    position: batch.position,
    sealedAt: batch.sealedAt.toISOString(),
    isCaughtUp: batch.isCaughtUp,
    previousDigest,
    events: batch.events.map(({ id, time, digest }) => ({ id, time: time.toISOString(), digest })),
  });

const DIGEST_LENGTH = 64;

/** Returns the events that a stored batch contains. */
export const eventsOfSeal = (seal: {
  eventIds: string[];
  eventTimes: Date[];
  eventDigests: string;
}): SealedEvent[] =>
  seal.eventIds.map((id, index) => ({
    id,
    time: seal.eventTimes[index] as Date,
    digest: seal.eventDigests.slice(index * DIGEST_LENGTH, (index + 1) * DIGEST_LENGTH),
  }));
