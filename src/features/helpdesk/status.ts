import { type AuthenticatedCall, audit, notFound, type SignedInCall, type Tx, transaction } from "#kit";
import * as tickets from "#sql/helpdesk/tickets";
import { type LockedTicket, notifyReporter } from "./notify.ts";
import { showTicket } from "./read.ts";
import type { Status } from "./schemas.ts";
import { ticketEvent } from "./ticket-event.ts";
import { asReporter, assertStillStaff, type Viewer } from "./viewer.ts";

/**
 * Sets the status of a ticket. Does nothing if the ticket already has the status, or if `status` is undefined.
 * @throws forbidden, notFound
 */
export async function changeStatus(call: AuthenticatedCall, viewer: Viewer, id: string, status?: Status) {
  return transaction(call, async (tx) => {
    const ticket = await lockTicket(tx, viewer, id);
    if (status !== undefined && ticket.status !== status) {
      await tickets.setTicketStatus.run(changeOf(tx, viewer, ticket, status), tx.db);
      await auditStatus(tx, viewer, ticket, status);
      await ticketEvent(tx, "ticket.updated", ticket, { status: ticket.status });
      const { number, subject } = ticket;
      await notifyReporter(tx, ticket, "HELPDESK_STATUS_CHANGED", { number, subject, status });
    }
    return showTicket(tx.db, viewer, id);
  });
}

/** Closes one of the caller's own tickets. @throws notFound */
export async function closeTicket(tx: Tx<SignedInCall>, id: string): Promise<void> {
  const viewer = asReporter(tx);
  const ticket = await lockTicket(tx, viewer, id);
  const { status } = ticket;
  if (status === "CLOSED") return;
  await tickets.setTicketStatus.run(changeOf(tx, viewer, ticket, "CLOSED"), tx.db);
  await ticketEvent(tx, "ticket.updated", ticket, { status });
}

/** Returns the parameters of the query that changes a ticket's status. */
export const changeOf = (
  { actor }: Pick<AuthenticatedCall, "actor">,
  { staffScope }: Viewer,
  { id, organizationId }: LockedTicket,
  status: Status,
) => ({ id, organizationId, status, actorId: actor.id, staffScope });

/** Soft-deletes a ticket. Its images stay in the storage but can no longer be read. @throws forbidden, notFound */
export async function deleteTicket(call: SignedInCall, viewer: Viewer, id: string): Promise<void> {
  await transaction(call, async (tx) => {
    const ticket = await lockTicket(tx, viewer, id);
    const { number, reporterId, organizationId } = ticket;
    await ticketEvent(tx, "ticket.deleted", ticket);
    await tickets.deleteTicket.run({ id, organizationId }, tx.db);
    const target = { type: "ticket", id, personId: reporterId } as const;
    await audit(tx, "HELPDESK_TICKET_DELETED", { target, metadata: { number } });
  });
}

/** Locks the row of a ticket that the viewer may see. @throws forbidden, notFound */
export async function lockTicket(
  tx: Tx<AuthenticatedCall>,
  viewer: Viewer,
  id: string,
): Promise<LockedTicket> {
  await assertStillStaff(tx, viewer);
  const [ticket] = await tickets.lockTicket.run({ id, ...viewer.scope }, tx.db);
  if (ticket === undefined) throw notFound();
  return ticket;
}

/**
 * Writes the audit event of a status change. The event belongs to the ticket's organization if that organization's
 * own staff made the change, and to no organization for platform staff (rules 16.4, 16.5).
 */
export async function auditStatus(tx: Tx, viewer: Viewer, ticket: LockedTicket, to: Status): Promise<void> {
  const { id, number, reporterId, organizationId } = ticket;
  const from = ticket.status as Status;
  await audit(tx, "HELPDESK_TICKET_STATUS_CHANGED", {
    target: { type: "ticket", id, personId: reporterId },
    organizationId: viewer.staffScope === "ORGANIZATION" ? organizationId : null,
    metadata: { from, to, number },
  });
}
