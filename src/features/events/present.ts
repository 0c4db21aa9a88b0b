import type { z } from "zod";
import { textOfProduct } from "#kit/inside";
import type * as queries from "#sql/events";
import type { Event } from "./schemas.ts";

export type EventRow = Omit<Awaited<ReturnType<typeof queries.listEvents.run>>[number], "reachPaths"> & {
  organizationId: string;
};

/** Converts an event to the form in which a caller with permissions in the whole organization gets it. */
export const presentEvent = (row: EventRow): z.output<typeof Event> => ({
  id: row.id,
  sequence: Number(row.sequence),
  type: row.type as z.output<typeof Event>["type"],
  version: 1,
  timestamp: row.occurredAt.toISOString(),
  organizationId: row.organizationId,
  actor:
    row.actorType === null || row.actorId === null
      ? null
      : { type: row.actorType as "user" | "service_account", id: row.actorId },
  client: row.clientId === null ? null : { id: row.clientId, name: row.clientName ?? "" },
  requestId: row.requestId,
  data: row.data as z.output<typeof Event>["data"],
});

type Assigned = { assignments?: { unit: { id: string } | null }[]; units?: { id: string }[] };

/**
 * Returns an event as a caller gets it whose permissions are limited to these units.
 * - Roles and units of a member outside these units are removed, as in the API route of a member.
 * - The message count of a ticket is removed, because it includes notes of other units.
 */
export function trimEvent(event: z.output<typeof Event>, units: Set<string>): z.output<typeof Event> {
  const { object, previous } = event.data;
  const trimmed = { ...event.data, object: trimObject(event.type, object, units) };
  if (previous !== undefined) trimmed.previous = trimObject(event.type, previous, units);
  return { ...event, data: trimmed };
}

function trimObject(type: string, object: Record<string, unknown>, units: Set<string>) {
  if (textOfProduct("events", type) !== null) return object;
  if (type.startsWith("member.")) {
    const { assignments, units: linked } = object as Assigned;
    return {
      ...object,
      ...(assignments && {
        assignments: assignments.filter(({ unit }) => unit !== null && units.has(unit.id)),
      }),
      ...(linked && { units: linked.filter(({ id }) => units.has(id)) }),
    };
  }
  if (!type.startsWith("ticket.")) return object;
  const { messageCount: _, ...ticket } = object;
  return ticket;
}
