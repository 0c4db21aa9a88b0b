import type { z } from "zod";
import { type EventType, notFound, type OrganizationCall, type Queryable } from "#kit";
import * as queries from "#sql/events";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import { cursorExpired } from "./errors.ts";
import { presentEvent, trimEvent } from "./present.ts";
import { type ReadableType, readableTypes, typesIfOthersAreReadable, unitsInReach } from "./readable.ts";
import type { Event, EventQuery } from "./schemas.ts";

/** The event numbers of an organization that has no events yet. */
const NO_EVENTS = { lastSequence: "0", oldestKept: "1", epoch: "0" };

/** Returns the last event number of an organization, the oldest number that is kept, and the epoch of the numbers. */
export async function numberingOf(db: Queryable, organizationId: string) {
  const [numbering] = await queries.findEventSequence.run({ organizationId }, db);
  return numbering ?? NO_EVENTS;
}

/**
 * How many events one page reads at most, whoever asks and however many are waiting. A page may therefore have fewer
 * rows although more follow.
 */
const WINDOW = 5_000;

/**
 * Returns the events after a cursor that the caller may read, oldest first. The numbers are read before the
 * list, from the same database or one that is ahead of it, so the new cursor skips none.
 * @throws validationFailed for an invalid cursor; cursorExpired
 */
export async function listEvents(
  call: OrganizationCall,
  { after, pageSize, type, objectId }: z.output<typeof EventQuery>,
) {
  const { db, organizationId, permissions } = call;
  const numbering = await numberingOf(db, organizationId);
  const list = `events:${organizationId}`;
  const start = startOf(list, after, numbering);
  const cursorAt = (position: string) => encodeCursor({ list, epoch: numbering.epoch, position });
  if (after === "latest") return { data: [], cursor: cursorAt(start), hasMore: false };

  const types = readableTypes(permissions, type);
  const last = await endOfWindow(call, start, objectId, numbering.lastSequence);
  const inUnits = types.filter((one) => !isEverywhere(one));
  const rows = await queries.listEvents.run(
    {
      organizationId,
      objectId,
      after: start,
      last,
      knownTypes: type === null ? typesIfOthersAreReadable(permissions) : null,
      organizationWide: types.filter(isEverywhere).map(({ type }) => type),
      eventRoots: types[0]?.eventRoots ?? null,
      readable: {
        types: Object.fromEntries(inUnits.map(({ type, typeRoots }) => [type, typeRoots])),
      } as never,
      max: pageSize + 1,
    },
    db.lists,
  );
  const page = rows.slice(0, pageSize);
  const isFull = rows.length > pageSize;
  const end = isFull ? page.at(-1)?.sequence : undefined;
  return {
    data: await presentRows(call, types, page),
    cursor: cursorAt(end ?? last),
    hasMore: isFull || last !== numbering.lastSequence,
  };
}

const isEverywhere = ({ eventRoots, typeRoots }: ReadableType) => eventRoots === null && typeRoots === null;

/** Returns the number of the last event that a page after `start` may read. The numbers have no gaps. */
async function endOfWindow(
  { db, organizationId }: OrganizationCall,
  start: string,
  objectId: string | null,
  lastSequence: string,
): Promise<string> {
  if (objectId !== null) {
    const window = { organizationId, objectId, after: start, max: WINDOW };
    const [end] = await queries.findEndOfWindow.run(window, db.lists);
    return end?.sequence ?? lastSequence;
  }
  const end = BigInt(start) + BigInt(WINDOW);
  return end < BigInt(lastSequence) ? String(end) : lastSequence;
}

type Numbering = Awaited<ReturnType<typeof numberingOf>>;

/** Returns the event number after which a page begins. */
function startOf(list: string, after: string | null, { lastSequence, oldestKept, epoch }: Numbering): string {
  const before = String(BigInt(oldestKept) - 1n);
  if (after === null) return before;
  if (after === "latest") return lastSequence;
  const cursor = decodeCursor(list, after, (position) => /^\d{1,18}$/.test(position));
  // A cursor that was issued before the organization's first event continues with that event.
  const isOfEpoch = cursor.epoch === epoch || cursor.epoch === NO_EVENTS.epoch;
  const position = BigInt(cursor.position);
  if (!isOfEpoch || position < BigInt(before) || position > BigInt(lastSequence)) throw cursorExpired();
  return cursor.position;
}

/** Returns one event. @throws notFound, also if the event is outside the caller's reach */
export async function getEvent(call: OrganizationCall, id: string): Promise<z.output<typeof Event>> {
  const { organizationId, db, permissions } = call;
  const types = readableTypes(permissions, null);
  const knownTypes = typesIfOthersAreReadable(permissions);
  const rows = await queries.findEvent.run(
    { id, organizationId, readable: { types } as never, knownTypes },
    db,
  );
  const [event] = await presentRows(call, types, rows);
  if (event === undefined) throw notFound();
  return event;
}

type Row = Awaited<ReturnType<typeof queries.listEvents.run>>[number];

async function presentRows(call: OrganizationCall, types: ReadableType[], rows: Row[]) {
  const { organizationId } = call;
  const readable = new Map(types.map((one) => [one.type, one]));
  const shownActors = await actorsInReach(call, types, rows);
  return rows.map(({ reachPaths, ...row }) => {
    const event = presentEvent({ ...row, organizationId });
    const type = readable.get(row.type as EventType);
    const units = type === undefined ? null : unitsInReach(type, reachPaths);
    if (units === null) return event;
    const isShown = row.actorId !== null && shownActors.has(row.actorId);
    const hidden = isShown ? {} : { actor: null, client: null };
    return { ...trimEvent(event, units), ...hidden };
  });
}

/**
 * Returns the ids of the actors that may be shown to the caller: the caller, and, if a permission is held only in
 * units, people and service accounts of these units.
 */
async function actorsInReach({ actor, db }: OrganizationCall, types: ReadableType[], rows: Row[]) {
  const shown = new Set([actor.id]);
  const limits = types
    .flatMap(({ eventRoots, typeRoots }) => [eventRoots, typeRoots])
    .filter((roots) => roots !== null);
  const actorIds = [...new Set(rows.flatMap(({ actorId }) => actorId ?? []))];
  if (limits.length === 0 || actorIds.length === 0) return shown;
  const sets = [...new Map(limits.map((roots) => [roots.join(), roots])).values()];
  const within = await Promise.all(
    sets.map(async (roots) =>
      (await queries.listActorsWithin.run({ roots, actorIds }, db.lists)).map(({ actorId }) => actorId),
    ),
  );
  for (const id of actorIds) if (within.every((ids) => ids.includes(id))) shown.add(id);
  return shown;
}
