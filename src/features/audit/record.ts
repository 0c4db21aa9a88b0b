import type { Queryable } from "#kit";
import * as seals from "#sql/audit-seals";
import { digestOf, sha256 } from "./chain.ts";

/*
 * Builds the record of an audit event over which the digest of the event is computed (docs/decisions/0024). The
 * metadata may contain text in the form of a pseudonym: a pseudonym that replaced an email, or text that a user
 * typed. The record distinguishes the two.
 */

/** The columns of an audit event; its digest covers all of them. */
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
  isProduct: boolean | null;
  clientId: string | null;
  clientName: string | null;
  grantId: string | null;
};

/** The digests of the emails that pseudonyms replaced in some events. */
export type Pseudonyms = {
  /** By account: the digests of the emails that its pseudonym replaced. */
  digests: ReadonlyMap<string, string[]>;
  /**
   * By event and account: for each pseudonym in the event, the digest of the email that it replaced. Accounts that
   * never changed their email have no entries.
   */
  emails: ReadonlyMap<string, (string | null)[]>;
  /**
   * By event and account: which occurrences of the pseudonym were typed by a user, counted from 1. Without an
   * entry, all occurrences were typed.
   */
  typed: ReadonlyMap<string, number[]>;
};

const EMAIL = /^[^\s@]+@[^\s@]+$/;
/**
 * Text in the form of a pseudonym may also have been typed by a user, for example as the name of a unit. Only UUIDs
 * are looked up.
 */
const PSEUDONYM = /^deleted-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})@deleted\.invalid$/;
/**
 * Text in the form of a digest is replaced by its own digest, so that it cannot be mistaken for the digest of
 * another text.
 */
const DIGEST = "email-sha256:";
const isReplaced = (value: unknown): value is string =>
  typeof value === "string" && (EMAIL.test(value) || value.startsWith(DIGEST));

function accountsOf(value: unknown): string[] {
  if (typeof value === "string") return PSEUDONYM.exec(value)?.slice(1) ?? [];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(accountsOf) : [];
}

/**
 * Loads the digests of replaced emails that are needed to compute the digests of these events. Call it after the
 * events were read: the digests are stored before the events get pseudonyms.
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
 * An occurrence of an account's pseudonym in an event. Has its number among the occurrences of this account, and
 * among all occurrences; both count from 1.
 */
type Occurrence = { userId: string; place: number; placeAmongAll: number };
/** Whether the pseudonym replaced the email at this place. If not, a user typed the text. */
type Reading = (occurrence: Occurrence) => boolean;

/**
 * Returns the record over which the digest of an event is computed: its columns, with each email in the metadata
 * replaced by a digest. An account that gets a pseudonym (rules 4.13) keeps only that digest of its email. So the
 * record, and with it the chain, does not change.
 */
export const recordOf = (event: EventColumns, pseudonyms: Pseudonyms) =>
  readRecord(event, pseudonyms, readingOf(event, pseudonyms)).record;

/** Decides by the rows of the table audit_pseudonyms, which say which occurrences users had typed. */
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
    // Computes the digest of an email, like the database function digest_of_email().
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
    // Most records do not have these properties, so that digests from before they existed stay valid.
    ...(event.actorType !== null && { actorType: event.actorType }),
    ...(event.apiKeyId !== null && { apiKeyId: event.apiKeyId }),
    ...(event.isProduct && { isProduct: true }),
    ...(event.clientId !== null && { clientId: event.clientId }),
    ...(event.clientName !== null && { clientName: event.clientName }),
    ...(event.grantId !== null && { grantId: event.grantId }),
  };
  return { record, occurrences };
}

/**
 * The maximum number of occurrences of pseudonyms in an event for which `recordAsSealed` tries all combinations. Each
 * occurrence either replaced an email or was typed by a user.
 */
const MAX_COMBINED = 10;

/**
 * Finds the record of a sealed event that has the given digest. The table audit_pseudonyms says which occurrences
 * of a pseudonym were typed, but may have no row for the event. If the record with the stored occurrences has
 * another digest, other combinations are tried. All of them contain the event's current text, so no combination can
 * hide a change.
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
