import * as queries from "#sql/effects";
import { type Actor, actingAppOf } from "../access/access.ts";
import type { Tx } from "../context.ts";
import type { EventObject, EventReason, EventType } from "./event-types.ts";
import { relayNotifier } from "./notifier.ts";

/**
 * Which unit administrators may read an event, depending on the record that it is about.
 * - `"organization"`: no unit administrator; the event is visible only in the whole organization
 * - `units`: administrators of one of these units
 * - `allUnits`: administrators of all of these units; null in the list stands for the whole organization
 * - `userId`: administrators of a unit to which this person is linked, unless the record was created before the
 *   person returned (`createdAt`); or of one of `units`, to which the person was linked before
 */
export type EventReach =
  | "organization"
  | { units: string[] }
  | { allUnits: (string | null)[] }
  | { userId: string; createdAt?: string; units?: string[] };

export type Written<Type extends EventType = EventType> = {
  organizationId: string;
  /** The id of the record that the event is about. */
  id: string;
  /**
   * The record as its own route returns it to a caller with permissions in the whole organization: after the change
   * or, if deleted, as it was last. A function is called only if events are recorded.
   */
  object: EventObject<Type> | (() => Promise<EventObject<Type>>);
  /** The previous values of the changed fields. */
  previous?: object | undefined;
  reason?: EventReason;
  reach: EventReach;
  /** The user who acts, if it is not the caller; null if there is no actor. */
  actorId?: string | null;
};

/** The maximum size of a record in an event. A larger record is replaced by its id. */
const MAX_BYTES = 20 * 1024;

/**
 * Writes an event for other systems in the transaction of the change that it records: no event, no change (rules
 * 29.1). Call it while the owner of the record is still linked to their units, and after the statement that locks the
 * record.
 */
export async function event<Type extends EventType>(
  tx: Tx,
  type: Type,
  written: Written<Type>,
): Promise<void> {
  if (tx.app.config.events) await writeToOutbox(tx, type, written, { isFeedOnly: false });
}

/** Writes several events of one type in one statement; otherwise like `event`. */
export async function eventEach<Type extends EventType>(
  tx: Tx,
  type: Type,
  given: Written<Type>[],
): Promise<void> {
  if (!tx.app.config.events || given.length === 0) return;
  const rows: object[] = [];
  for (const written of given) rows.push(await rowOf(tx, type, written, { isFeedOnly: false }));
  await queries.insertEvents.run({ given: { events: rows } as never }, tx.effects);
  tx.afterCommit.push(async () => relayNotifier(tx.app).notify());
}

type OfAnyOrganization = Omit<Written, "organizationId" | "object"> & {
  organizationId: string | null;
  object: object | (() => Promise<object>);
};

/** Writes to the outbox, from which the relay moves events to the organization's list and to the feed of the product. */
export async function writeToOutbox(
  tx: Tx,
  type: string,
  written: OfAnyOrganization,
  { isFeedOnly }: { isFeedOnly: boolean },
): Promise<void> {
  await queries.insertEvent.run(await rowOf(tx, type, written, { isFeedOnly }), tx.effects);
  tx.afterCommit.push(async () => relayNotifier(tx.app).notify());
}

async function rowOf(
  tx: Tx,
  type: string,
  { organizationId, id, object, previous, reason, reach, actorId }: OfAnyOrganization,
  { isFeedOnly }: { isFeedOnly: boolean },
) {
  const record = typeof object === "function" ? await object() : object;
  const data = {
    object: record,
    ...(previous !== undefined && { previous }),
    ...(reason !== undefined && { reason }),
  };
  const isTooLarge = Buffer.byteLength(JSON.stringify(data)) > MAX_BYTES;
  const stored = isTooLarge ? { object: { id }, truncated: true, ...(reason && { reason }) } : data;
  return {
    organizationId,
    type,
    objectId: id,
    data: stored as never,
    ...actorOf(actorId === undefined ? tx.actor : actorId),
    ...clientOf(tx.actor),
    requestId: tx.requestId,
    isFeedOnly,
    ...reachOf(reach),
  };
}

const actorOf = (actor: Actor | string | null) =>
  typeof actor === "string"
    ? { actorType: "user", actorId: actor }
    : { actorType: actor?.type ?? null, actorId: actor?.id ?? null };

/** Returns the columns that name the app by which the request came; nulls without one (rules 46.72). */
function clientOf(actor: Actor | null) {
  const app = actingAppOf(actor);
  return { clientId: app?.clientId ?? null, clientName: app?.clientName ?? null };
}

function reachOf(reach: EventReach) {
  const nobody = { reachMatch: "none", unitIds: [] as string[], userId: null, since: null };
  if (reach === "organization") return nobody;
  if ("userId" in reach) {
    const { userId, createdAt, units = [] } = reach;
    return {
      reachMatch: "any",
      unitIds: units,
      userId,
      since: createdAt === undefined ? null : new Date(createdAt),
    };
  }
  if ("units" in reach) return { ...nobody, reachMatch: "any", unitIds: reach.units };
  const { allUnits } = reach;
  if (allUnits.includes(null)) return nobody;
  return { ...nobody, reachMatch: "all", unitIds: allUnits.filter((id) => id !== null) };
}
