import * as seals from "#sql/audit-seals";
import type { Queryable } from "../../platform/db/prepared-query.ts";
import { digestOf, sha256 } from "./chain.ts";

/* What is digested of an event (docs/decisions/0024), and how a pseudonym that replaced an email is told from one that was typed. */

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

/** Which emails pseudonyms replaced, as far as some events need it. */
export type Pseudonyms = {
  /** By account: the digest of the email that its pseudonym replaced. */
  digests: ReadonlyMap<string, string>;
  /**
   * By event and account: in which places the pseudonym was typed, among the texts that are the pseudonym now, from 1. Without an
   * entry it was typed in all of them.
   */
  typed: ReadonlyMap<string, number[]>;
};

const EMAIL = /^[^\s@]+@[^\s@]+$/;
/** Anybody can type one, as the name of a unit for example. Only a UUID is looked up. */
const PSEUDONYM = /^deleted-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})@deleted\.invalid$/;
/** A text that looks like a digest is replaced by its own, so that no text passes for the digest of another. */
const DIGEST = "email-sha256:";
const isReplaced = (value: unknown): value is string =>
  typeof value === "string" && (EMAIL.test(value) || value.startsWith(DIGEST));

function accountsOf(value: unknown): string[] {
  if (typeof value === "string") return PSEUDONYM.exec(value)?.slice(1) ?? [];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(accountsOf) : [];
}

/** What the digests of these events need. Call it after the events were read: a pseudonym is stored before. */
export async function pseudonymsIn(
  db: Queryable,
  events: { id: string; metadata: unknown }[],
): Promise<Pseudonyms> {
  const userIds = [...new Set(events.flatMap(({ metadata }) => accountsOf(metadata)))];
  if (userIds.length === 0) return { digests: new Map(), typed: new Map() };
  const emails = await seals.listRetiredEmails.run({ userIds }, db);
  const eventIds = events.map(({ id }) => id);
  const rows = await seals.listPseudonyms.run({ eventIds, userIds }, db);
  return {
    digests: new Map(emails.map(({ userId, digest }) => [userId, digest])),
    typed: new Map(rows.map(({ eventId, userId, typed }) => [`${eventId} ${userId}`, typed])),
  };
}

/** A text of an event that is the pseudonym of an account, with its place among those of the account and among all, from 1. */
type Occurrence = { userId: string; place: number; placeAmongAll: number };
/** Whether the pseudonym replaced the email there. Otherwise somebody typed it. */
type Reading = (occurrence: Occurrence) => boolean;

/**
 * What is digested of an event: its columns, with a digest in the place of each email in the metadata. When an account gets a
 * pseudonym (rules 4.13), that digest is all that is kept of its email: the record, and with it the chain, stays the same.
 */
export const recordOf = (event: EventColumns, pseudonyms: Pseudonyms) =>
  readRecord(event, pseudonyms, readingOf(event, pseudonyms)).record;

/** The reading that was stored when the pseudonyms were given. */
const readingOf =
  ({ id }: EventColumns, { typed }: Pseudonyms): Reading =>
  ({ userId, place }) =>
    typed.get(`${id} ${userId}`)?.includes(place) === false;

function readRecord(event: EventColumns, { digests }: Pseudonyms, isReplacement: Reading) {
  const places = new Map<string, number>();
  let occurrences = 0;
  const retiredDigestOf = (text: string): string | undefined => {
    const userId = PSEUDONYM.exec(text)?.[1] ?? "";
    const digest = digests.get(userId);
    if (digest === undefined) return;
    const place = (places.get(userId) ?? 0) + 1;
    places.set(userId, place);
    occurrences += 1;
    return isReplacement({ userId, place, placeAmongAll: occurrences }) ? digest : undefined;
  };
  const withDigests = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(withDigests);
    if (typeof value === "object" && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withDigests(part)]));
    if (!isReplaced(value)) return value;
    // As digest_of_email() of the database computes it.
    return `${DIGEST}${retiredDigestOf(value) ?? sha256(`retired email: ${value}`)}`;
  };
  const record: Record<string, unknown> = {
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
  return { record, occurrences };
}

/** So many occurrences are read in every combination. */
const MAX_COMBINED = 10;

/**
 * The record of an event that was sealed with that digest. Pseudonyms from before migration 0051 were stored without their places,
 * and sealing took every pseudonym that was known for a replacement: if the stored reading does not give the digest, others
 * are tried. All of them are of the event as it is, so none hides a change.
 */
export function recordAsSealed(
  event: EventColumns,
  pseudonyms: Pseudonyms,
  digest: string | null,
): Record<string, unknown> {
  const record = recordOf(event, pseudonyms);
  if (digest === null || pseudonyms.digests.size === 0 || digestOf(record) === digest) return record;
  for (const reading of otherReadings(readRecord(event, pseudonyms, () => true).occurrences)) {
    const other = readRecord(event, pseudonyms, reading).record;
    if (digestOf(other) === digest) return other;
  }
  return record;
}

function* otherReadings(occurrences: number): Generator<Reading> {
  if (occurrences === 0) return;
  yield () => true;
  yield () => false;
  if (occurrences > MAX_COMBINED) return;
  for (let bits = 1; bits < 2 ** occurrences - 1; bits += 1)
    yield ({ placeAmongAll }) => (bits & (1 << (placeAmongAll - 1))) !== 0;
}
