import type { z } from "zod";
import {
  authorize,
  conflict,
  exactlyOne,
  memoizePerApp,
  notFound,
  type OrganizationCall,
  type Queryable,
  Rate,
  type Tx,
} from "#kit";
import * as queries from "#sql/webhooks";
import { decodeCursor, encodeCursor } from "../events/cursor.ts";
import { cursorExpired } from "../events/errors.ts";
import { presentEvent } from "../events/present.ts";
import { numberingOf } from "../events/read.ts";
import type { Event } from "../events/schemas.ts";
import { assertTypesHeld, holdsTypes } from "./endpoints.ts";
import { LIMITS } from "./limits.ts";
import { showEndpoint } from "./read.ts";
import type { RecoverWebhookBody, WebhookAttempt, WebhookDelivery, WebhookDeliveryQuery } from "./schemas.ts";
import { deliveryNotifier } from "./worker.ts";

type Row = Omit<Awaited<ReturnType<typeof queries.listWebhookDeliveries.run>>[number], "place">;
type StoredAttempt = z.output<typeof WebhookAttempt>;

const presentAttempt = (attempt: StoredAttempt): StoredAttempt => ({
  ...attempt,
  startedAt: new Date(attempt.startedAt).toISOString(),
});

const presentDelivery = (row: Row): z.output<typeof WebhookDelivery> => ({
  id: row.id,
  eventId: row.eventId,
  eventType: row.eventType,
  sequence: Number(row.sequence),
  state: row.state as z.output<typeof WebhookDelivery>["state"],
  attemptCount: row.attemptCount,
  nextAttemptAt: row.nextAttemptAt?.toISOString() ?? null,
  createdAt: row.createdAt.toISOString(),
  lastAttempt: row.lastAttempt === null ? null : presentAttempt(row.lastAttempt as StoredAttempt),
});

/**
 * How many deliveries one page reads at most, however many there are. A page may therefore have fewer rows although
 * more follow.
 */
const WINDOW = 5_000;

/**
 * Returns the deliveries of an endpoint, newest first. @throws notFound; validationFailed for an invalid cursor;
 * cursorExpired
 */
export async function listDeliveries(
  { db, organizationId }: OrganizationCall,
  endpointId: string,
  { after, pageSize, state, type, eventId }: z.output<typeof WebhookDeliveryQuery>,
) {
  await showEndpoint(organizationId, endpointId, db);
  const { epoch } = await numberingOf(db, organizationId);
  const list = `deliveries:${endpointId}`;
  const cursor = after === null ? null : decodeCursor(list, after, isPosition);
  if (cursor !== null && cursor.epoch !== epoch && cursor.epoch !== "0") throw cursorExpired();
  const [beforePlace = null, beforeId = null] =
    cursor === null || cursor.position === "-" ? [] : cursor.position.split("/");
  const window = { endpointId, organizationId, beforePlace, beforeId };
  // An event has few deliveries, which an index finds. Without a filter, a page reads only its own rows.
  const isSparse = eventId === null && (state !== null || type !== null);
  const [end] = isSparse
    ? await queries.findEndOfDeliveryWindow.run({ ...window, max: WINDOW }, db.lists)
    : [];
  const filters = {
    states: state,
    types: type,
    eventId,
    endPlace: end?.place ?? null,
    endId: end?.id ?? null,
  };
  const wanted = { ...window, ...filters, max: pageSize + 1 };
  const rows = await queries.listWebhookDeliveries.run(wanted as never, db.lists);
  const page = rows.slice(0, pageSize);
  const isFull = rows.length > pageSize;
  const last = isFull ? page.at(-1) : (end ?? page.at(-1));
  const position = last === undefined ? (cursor?.position ?? "-") : `${last.place}/${last.id}`;
  return {
    data: page.map(presentDelivery),
    cursor: encodeCursor({ list, epoch, position }),
    hasMore: isFull || end !== undefined,
  };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TIME = /^[12]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/;

/** Whether the position in a cursor is valid: time and id of a delivery, or `-` for the beginning of the list. */
function isPosition(position: string): boolean {
  if (position === "-") return true;
  const [place = "", id = "", ...rest] = position.split("/");
  if (rest.length > 0 || !TIME.test(place) || !UUID.test(id)) return false;
  const time = new Date(`${place}Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString() === `${place}Z`;
}

type Ids = { id: string; deliveryId: string };

/** Returns one delivery with its attempts. Includes the event if the caller may read its type. @throws notFound */
export async function getDelivery(
  { db, organizationId, permissions }: OrganizationCall,
  { id, deliveryId }: Ids,
) {
  await showEndpoint(organizationId, id, db);
  const found = await findDelivery(db, organizationId, { id, deliveryId });
  const payload = holdsTypes(permissions, [found.eventType])
    ? await payloadOf(db, organizationId, found)
    : null;
  return { ...presentFound(found), attempts: attemptsOf(found).map(presentAttempt), payload };
}

type Found = Awaited<ReturnType<typeof queries.findWebhookDelivery.run>>[number];

async function findDelivery(db: Queryable, organizationId: string, { id, deliveryId }: Ids): Promise<Found> {
  const wanted = { id: deliveryId, endpointId: id, organizationId };
  const [found] = await queries.findWebhookDelivery.run(wanted, db);
  if (found === undefined) throw notFound();
  return found;
}

async function payloadOf(
  db: Queryable,
  organizationId: string,
  { testEvent, eventId, eventRecordedAt }: Found,
) {
  if (testEvent !== null) return testEvent as z.output<typeof Event>;
  const wanted = { eventId, recordedAt: eventRecordedAt, organizationId };
  const [event] = await queries.findEventOfDelivery.run(wanted, db);
  return event === undefined ? null : presentEvent({ ...event, organizationId });
}

const testsOf = memoizePerApp(() => new Rate(LIMITS.tests));

/**
 * Queues one delivery of the event `webhook.test` to one endpoint, without retries.
 * @throws notFound, tooManyRequests; conflict if the endpoint is disabled
 */
export async function testEndpoint(tx: Tx<OrganizationCall>, endpointId: string) {
  const { organizationId, app, actor } = tx;
  await authorize(tx, "Webhooks.Update");
  const { enabled } = await showEndpoint(organizationId, endpointId, tx.db);
  testsOf(app).consume(organizationId);
  if (!enabled) throw conflict();
  const event = {
    sequence: 0,
    type: "webhook.test",
    version: 1,
    timestamp: new Date().toISOString(),
    organizationId,
    actor: { type: actor.type, id: actor.id },
    client: null,
    requestId: tx.requestId,
    data: { object: { message: "This is a test." } },
  };
  const values = { endpointId, event: event as never };
  const [inserted] = await queries.insertTestDelivery.run(values, tx.db);
  if (inserted === undefined) throw conflict();
  notifyWorkerAfterCommit(tx);
  return presentFound(await findDelivery(tx.db, organizationId, { id: endpointId, deliveryId: inserted.id }));
}

/**
 * Queues one more attempt of a delivery, in any state, without retries.
 * @throws notFound, permissionNotHeld; conflict if an attempt is running, if the endpoint is disabled, or if the
 * event is no longer stored
 */
export async function resendDelivery(tx: Tx<OrganizationCall>, { id, deliveryId }: Ids) {
  const { organizationId } = tx;
  const permissions = await authorize(tx, "Webhooks.Update");
  const { enabled } = await showEndpoint(organizationId, id, tx.db);
  const found = await findDelivery(tx.db, organizationId, { id, deliveryId });
  assertTypesHeld(permissions, [found.eventType]);
  if (!enabled || (await payloadOf(tx.db, organizationId, found)) === null) throw conflict();
  const wanted = { id: deliveryId, endpointId: id, organizationId };
  const [asked] = await queries.resendWebhookDelivery.run(wanted, tx.db);
  if (asked === undefined) throw conflict();
  notifyWorkerAfterCommit(tx);
  return presentFound(await findDelivery(tx.db, organizationId, { id, deliveryId }));
}

const attemptsOf = ({ attempts }: Found) => (attempts ?? []) as StoredAttempt[];

const presentFound = (found: Found) =>
  presentDelivery({ ...found, lastAttempt: (attemptsOf(found).at(-1) as never) ?? null });

/**
 * Queues the events of a period that were not delivered to this endpoint, at most 100,000.
 * @throws notFound; conflict if another recovery of this endpoint is running
 */
export async function recoverDeliveries(
  tx: Tx<OrganizationCall>,
  endpointId: string,
  { from, to }: z.output<typeof RecoverWebhookBody>,
) {
  const { organizationId } = tx;
  await authorize(tx, "Webhooks.Update");
  await showEndpoint(organizationId, endpointId, tx.db);
  const { isLocked } = exactlyOne(await queries.tryLockRecovery.run({ endpointId }, tx.db));
  if (!isLocked) throw conflict();
  const wanted = { endpointId, organizationId, from, to: to ?? null };
  const { count } = exactlyOne(await queries.recoverWebhookDeliveries.run(wanted, tx.db));
  notifyWorkerAfterCommit(tx);
  return { count };
}

const notifyWorkerAfterCommit = ({ app, afterCommit }: Tx) =>
  afterCommit.push(async () => deliveryNotifier(app).notify());
