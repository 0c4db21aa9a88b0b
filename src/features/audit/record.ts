import * as seals from "#sql/audit-seals";
import type { Queryable } from "../../platform/db/prepared-query.ts";
import { digestOf, sha256 } from "./chain.ts";

/*
 * The record of an event that is digested (docs/decisions/0024), and the distinction between a pseudonym that replaced an
 * email and one that a user typed.
 */

/** The columns of an event, all of which its digest covers. */
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
  actorType: string | null;
  apiKeyId: string | null;
};

/** The emails that pseudonyms replaced, for some events. */
export type Pseudonyms = {
  /** The digests of the emails that an account's pseudonym replaced, by account. */
  digests: ReadonlyMap<string, string[]>;
  /** For each place in an event where a pseudonym replaced an email: the digest of that email, by event and account. Accounts that never changed their email have no entries. */
  emails: ReadonlyMap<string, (string | null)[]>;
  /**
   * Which occurrences of a pseudonym were typed by a user, by event and account, counted from 1. Without an entry,
   * all of them were typed.
   */
  typed: ReadonlyMap<string, number[]>;
};

const EMAIL = /^[^\s@]+@[^\s@]+$/;
/** A user can type text in the form of a pseudonym, for example as the name of a unit. Only UUIDs are looked up. */
const PSEUDONYM = /^deleted-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})@deleted\.invalid$/;
/**
 * Text that looks like a digest is replaced by its own digest, so that it cannot pass for the digest of another text.
 */
const DIGEST = "email-sha256:";
const isReplaced = (value: unknown): value is string =>
  typeof value === "string" && (EMAIL.test(value) || value.startsWith(DIGEST));

function accountsOf(value: unknown): string[] {
  if (typeof value === "string") return PSEUDONYM.exec(value)?.slice(1) ?? [];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(accountsOf) : [];
}

/**
 * Loads the replaced emails that the digests of these events need. Call it after the events were read: the replaced
 * emails are stored before the events get pseudonyms.
 */
export async function pseudonymsIn(
  db: Queryable,
  events: { id: string; metadata: unknown }[],
): Promise<Pseudonyms> {
  const userIds = [...new Set(events.flatMap(({ metadata }) => accountsOf(metadata)))];
  if (userIds.length === 0) return { digests: new Map(), emails: new Map(), typed: new Map() };
  const emails = await seals.listRetiredEmails.run({ userIds }, db);
  const eventIds = events.map(({ id }) => id);
  const rows = await seals.listPseudonyms.run({ eventIds, userIds }, db);
  return {
    digests: new Map(emails.map(({ userId, digests }) => [userId, digests])),
    emails: new Map(rows.map(({ eventId, userId, emails }) => [`${eventId} ${userId}`, emails])),
    typed: new Map(rows.map(({ eventId, userId, typed }) => [`${eventId} ${userId}`, typed])),
  };
}

/**
 * An occurrence of an account's pseudonym in an event, with its number among the occurrences of this account, and
 * among all; both from 1.
 */
type Occurrence = { userId: string; place: number; placeAmongAll: number };
/** Whether the pseudonym replaced the email there. Otherwise a user typed it. */
type Reading = (occurrence: Occurrence) => boolean;

/**
 * Returns the record of an event that is digested: its columns, with each email in the metadata replaced by a digest.
 * When an account gets a pseudonym (rules 4.13), only that digest of its email is kept, so the record, and with it
 * the chain, does not change.
 */
export const recordOf = (event: EventColumns, pseudonyms: Pseudonyms) =>
  readRecord(event, pseudonyms, readingOf(event, pseudonyms)).record;

/** The interpretation that was stored when the pseudonyms were assigned. */
const readingOf =
  ({ id }: EventColumns, { typed }: Pseudonyms): Reading =>
  ({ userId, place }) =>
    typed.get(`${id} ${userId}`)?.includes(place) === false;

function readRecord(event: EventColumns, { digests, emails }: Pseudonyms, isReplacement: Reading) {
  const places = new Map<string, number>();
  let occurrences = 0;
  const retiredDigestOf = (text: string): string | undefined => {
    const userId = PSEUDONYM.exec(text)?.[1] ?? "";
    const known = digests.get(userId);
    if (known === undefined) return;
    const place = (places.get(userId) ?? 0) + 1;
    const stored = emails.get(`${event.id} ${userId}`)?.[place - 1] ?? null;
    const digest =
      stored !== null && known.includes(stored) ? stored : known.length === 1 ? known[0] : undefined;
    places.set(userId, place);
    occurrences += 1;
    return isReplacement({ userId, place, placeAmongAll: occurrences }) ? digest : undefined;
  };
  const withDigests = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(withDigests);
    if (typeof value === "object" && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withDigests(part)]));
    if (!isReplaced(value)) return value;
    // Computes the same digest as digest_of_email() of the database.
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
    // Absent in events of people, so that digests from before service accounts stay the same.
    ...(event.actorType !== null && { actorType: event.actorType }),
    ...(event.apiKeyId !== null && { apiKeyId: event.apiKeyId }),
  };
  return { record, occurrences };
}

/** The maximum number of occurrences of pseudonyms for which every combination of replaced and typed ones is tried. */
const MAX_COMBINED = 10;

/**
 * Finds the record of a sealed event that has the given digest. The table audit_pseudonyms says which
 * occurrences of a pseudonym were typed; an event may have no row there. If this
 * interpretation does not give the digest, other interpretations are tried. All of them contain the event's current
 * text, so none hides a change.
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
