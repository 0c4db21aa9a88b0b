import { createHash } from "node:crypto";
import * as seals from "#sql/audit-seals";
import { canonicalJson } from "../../platform/canonical-json.ts";
import type { Queryable } from "../../platform/db/prepared-query.ts";

/*
 * What the digests of sealed events are made of (docs/decisions.md, 24): SHA-256 over canonical JSON (RFC 8785), so that
 * anybody can compute them again.
 */

/** The chain of events without an organization. */
export const PLATFORM_CHAIN = "00000000-0000-0000-0000-000000000000";
/** In the place of the digest of an event that was gone before it was sealed. */
export const GONE = "0".repeat(64);

/** The columns of an event that its digest covers: all. */
export type EventColumns = {
  id: string;
  time: Date;
  action: string;
  actorId: string | null;
  targetType: string | null;
  targetId: string | null;
  organizationId: string | null;
  metadata: unknown;
  ip: string | null;
  requestId: string | null;
  subjectUserId: string | null;
  subjectUnitIds: string[];
  isAboveUnits: boolean;
  mentionedUnitIds: string[] | null;
};

export const chainOf = (organizationId: string | null): string => organizationId ?? PLATFORM_CHAIN;
export const organizationOf = (chain: string): string | null => (chain === PLATFORM_CHAIN ? null : chain);

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The digest of a record or batch. */
export const digestOf = (value: unknown): string => sha256(canonicalJson(value));

/** By account: the digest of the email that its pseudonym replaced. */
export type RetiredEmails = ReadonlyMap<string, string>;

const EMAIL = /^[^\s@]+@[^\s@]+$/;
/** Anybody can type one that looks alike (a failed sign-in is an event), so only a UUID is looked up. */
const PSEUDONYM = /^deleted-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})@deleted\.invalid$/;
/** A text that looks like a digest is replaced by its own, so that no text passes for the digest of another. */
const DIGEST = "email-sha256:";
const isReplaced = (value: unknown): value is string =>
  typeof value === "string" && (EMAIL.test(value) || value.startsWith(DIGEST));

function accountsOf(value: unknown): string[] {
  if (typeof value === "string") return PSEUDONYM.exec(value)?.slice(1) ?? [];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(accountsOf) : [];
}

/** The retired emails that the digests of these events need. Asked after the events were read: a pseudonym is there first. */
export async function retiredEmailsOf(
  db: Queryable,
  events: { metadata: unknown }[],
): Promise<RetiredEmails> {
  const userIds = [...new Set(events.flatMap(({ metadata }) => accountsOf(metadata)))];
  if (userIds.length === 0) return new Map();
  const rows = await seals.listRetiredEmails.run({ userIds }, db);
  return new Map(rows.map(({ userId, digest }) => [userId, digest]));
}

/**
 * What is digested of an event: its columns, with a digest in the place of each email in the metadata. When an account gets a
 * pseudonym (rules 4.13), that digest is all that is kept of its email: the record, and with it the chain, stays the same.
 */
export function recordOf(event: EventColumns, retired: RetiredEmails): Record<string, unknown> {
  const withDigests = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(withDigests);
    if (typeof value === "object" && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withDigests(part)]));
    if (!isReplaced(value)) return value;
    const retiredDigest = retired.get(PSEUDONYM.exec(value)?.[1] ?? "");
    // As digest_of_email() of the database computes it.
    return `${DIGEST}${retiredDigest ?? sha256(`retired email: ${value}`)}`;
  };
  return {
    id: event.id,
    time: event.time.toISOString(),
    action: event.action,
    actorId: event.actorId,
    targetType: event.targetType,
    targetId: event.targetId,
    organizationId: event.organizationId,
    metadata: withDigests(event.metadata),
    ip: event.ip,
    requestId: event.requestId,
    subjectUserId: event.subjectUserId,
    subjectUnitIds: event.subjectUnitIds,
    isAboveUnits: event.isAboveUnits,
    mentionedUnitIds: event.mentionedUnitIds,
  };
}

/**
 * The record of an event that was sealed with that digest. A pseudonym that somebody typed before the account had it was
 * digested as it is: if the record has the digest only so, it is that one.
 */
export function recordAsSealed(
  event: EventColumns,
  retired: RetiredEmails,
  digest: string | null,
): Record<string, unknown> {
  const record = recordOf(event, retired);
  if (digest === null || retired.size === 0 || digestOf(record) === digest) return record;
  const typed = recordOf(event, new Map());
  return digestOf(typed) === digest ? typed : record;
}

/** An event in a batch, with the digest of its record. */
export type SealedEvent = { id: string; time: Date; digest: string };

export type Batch = {
  chain: string;
  number: number;
  /** Of its last event. */
  position: number;
  sealedAt: Date;
  isCaughtUp: boolean;
  events: SealedEvent[];
};

/** The digest of a batch, over all of it and the digest of the one before; null for the first. */
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

/** The events of a stored batch. */
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
