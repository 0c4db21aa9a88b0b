import { type EventType, event, type Tx, unrestricted } from "#kit";
import { showTicket } from "./read.ts";
import type { Viewer } from "./viewer.ts";

const ALL = unrestricted("events hold whole records");
const NOBODY = "00000000-0000-0000-0000-000000000000";

/**
 * Returns a viewer with access to all tickets and notes of an organization, but not to notes of the platform's
 * staff.
 */
const asWholeOrganization = (organizationId: string): Viewer => ({
  staffScope: "ORGANIZATION",
  scope: { reporterId: null, organizationId, units: ALL },
  sees: { viewerId: NOBODY, seesPlatformNotes: false, seesOrganizationNotes: true, noteUnits: ALL },
});

type TicketKey = { id: string; organizationId: string | null; reporterId: string | null };

/** Writes an event about a ticket, if the ticket belongs to an organization. Call under the ticket's row lock. */
export async function ticketEvent(
  tx: Tx,
  type: Extract<EventType, `ticket.${"created" | "updated" | "deleted"}`>,
  { id, organizationId, reporterId }: TicketKey,
  previous?: object,
): Promise<void> {
  if (organizationId === null || !tx.app.config.events) return;
  const object = await showTicket(tx.db, asWholeOrganization(organizationId), id);
  const reach =
    reporterId === null ? ("organization" as const) : { userId: reporterId, createdAt: object.createdAt };
  await event(tx, type, { organizationId, id, object, previous, reach });
}

type Message = {
  id: string;
  internal: boolean;
  staffScope: "PLATFORM" | "ORGANIZATION" | null;
  attachmentCount: number;
};

/**
 * Writes an event about a message, without its text. Writes no event for a note of the platform's staff. The event
 * of an organization's note is not visible in units, because units see only notes of their own people.
 */
export async function messageEvent(
  tx: Tx,
  { id: ticketId, organizationId, reporterId, createdAt }: TicketKey & { createdAt: Date },
  { id, internal, staffScope, attachmentCount }: Message,
): Promise<void> {
  if (organizationId === null || (internal && staffScope === "PLATFORM")) return;
  await event(tx, "ticket.message_created", {
    organizationId,
    id,
    object: { id, ticketId, internal, asStaff: staffScope !== null, staffScope, attachmentCount },
    reach:
      internal || reporterId === null
        ? "organization"
        : { userId: reporterId, createdAt: createdAt.toISOString() },
  });
}
